"""The look of the cards: the notebook's own colours of text and ground, and a few accents."""

from __future__ import annotations

_LIGHT = (
    "--ev-good:#14734a;--ev-slow:#8f5200;--ev-bad:#b3261e;--ev-idle:#5d6570;--ev-accent:#2f55c8;"
)
_DARK = (
    "--ev-good:#63d6a0;--ev-slow:#f2b866;--ev-bad:#ff9389;--ev-idle:#a7b0bb;--ev-accent:#a3b8ff;"
)

# `.ev-card.ev-card` outweighs what notebooks say of tables. The notebook's own theme, where it
# names one, wins over the system's wish.
_RULES = (
    ("", _LIGHT),
    ("", "--ev-line:color-mix(in srgb,currentColor 15%,transparent);"),
    ("", "--ev-soft:color-mix(in srgb,currentColor 64%,transparent);"),
    ("", "--ev-wash:color-mix(in srgb,currentColor 5%,transparent);"),
    ("", "color:inherit;background:transparent;border:1px solid var(--ev-line);border-radius:8px;"),
    ("", "padding:12px 16px 13px;margin:4px 0;max-width:62em;box-sizing:border-box;"),
    ("", "font:13px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif;overflow-x:auto;"),
    ("", "font-variant-numeric:tabular-nums;"),
    (" .ev-head", "display:flex;flex-wrap:wrap;align-items:baseline;gap:3px 10px;margin:0 0 7px"),
    (" .ev-title", "font-size:15px;font-weight:650;letter-spacing:-.005em"),
    (" .ev-lead", "margin-left:auto;font-weight:550"),
    (" .ev-badge", "color:var(--ev-tone);font-size:12px;font-weight:600;border-radius:99px"),
    (" .ev-badge", "padding:0 9px;background:color-mix(in srgb,var(--ev-tone) 13%,transparent)"),
    (" .ev-badge", "white-space:nowrap"),
    (" table", "border-collapse:collapse;border:0;margin:0;font-size:13px;color:inherit"),
    (" tr", "background:transparent;border:0"),
    (" th", "text-align:left;vertical-align:baseline;border:0;background:transparent"),
    (" td", "text-align:left;vertical-align:baseline;border:0;background:transparent"),
    (" td,{} th", "padding:2px 18px 2px 0;max-width:none;white-space:normal"),
    (" th", "color:var(--ev-soft);font-weight:400;white-space:nowrap"),
    (" .ev-table", "margin-top:10px;min-width:45%"),
    (" .ev-table td:nth-child(-n+4)", "white-space:nowrap"),
    (" .ev-table thead th", "border-bottom:1px solid var(--ev-line);font-size:12px"),
    (" .ev-table thead th", "padding-bottom:4px"),
    (" .ev-table tbody td", "border-bottom:1px solid var(--ev-line);padding:4px 20px 4px 0"),
    (" .ev-table tbody tr:last-child td", "border-bottom:0"),
    (" tr>:last-child", "padding-right:0"),
    (" .ev-table td:first-child", "font-weight:600;white-space:nowrap"),
    (" caption", "text-align:left;caption-side:top;color:var(--ev-soft);padding:0 0 2px"),
    (" .ev-part", "margin:11px 0 0"),
    (" .ev-name", "color:var(--ev-soft);margin:0 0 3px"),
    (" pre,{} code,{} .ev-tree", "font:12.5px/1.6 ui-monospace,Menlo,Consolas,monospace"),
    (" pre,{} code,{} .ev-tree", "color:inherit;background:transparent;margin:0;padding:0"),
    (" pre", "white-space:pre-wrap;overflow-wrap:anywhere"),
    (" pre.ev-box", "background:var(--ev-wash);border-radius:6px;padding:8px 12px"),
    (" ol", "margin:0;padding-left:1.7em"),
    (" ol li", "margin:1px 0;padding-left:.2em"),
    (" ol li::marker", "color:var(--ev-soft)"),
    (" details", "margin-top:10px"),
    (" summary", "cursor:pointer;color:var(--ev-soft)"),
    (" details pre", "margin-top:6px"),
    (" .ev-note", "color:var(--ev-soft)"),
    (" .ev-delta", "color:var(--ev-accent);font-weight:600"),
    (" .ev-tree ul", "list-style:none;margin:0;padding:0 0 0 20px"),
    (" .ev-tree>ul", "padding-left:0"),
    (" .ev-tree li", "position:relative;margin:0;padding:0"),
    (" .ev-tree ul ul>li::before", "content:'';position:absolute;left:-13px;top:-.25em"),
    (" .ev-tree ul ul>li::before", "width:9px;height:1.1em;border:solid var(--ev-line)"),
    (" .ev-tree ul ul>li::before", "border-width:0 0 1.5px 1.5px;border-radius:0 0 0 5px"),
    (" .ev-tree ul ul>li:not(:last-child)::after", "content:'';position:absolute;left:-13px"),
    (" .ev-tree ul ul>li:not(:last-child)::after", "top:.5em;bottom:-.3em"),
    (" .ev-tree ul ul>li:not(:last-child)::after", "border-left:1.5px solid var(--ev-line)"),
    (" .ev-bars", "margin-top:9px;width:100%"),
    (" .ev-bars td:last-child", "width:70%;padding-right:0"),
    (" .ev-bar", "display:block;height:9px;border-radius:3px;background:var(--ev-tone)"),
    (" .ev-bar", "min-width:2px"),
    (" .ev-good,{}.ev-good", "--ev-tone:var(--ev-good)"),
    (" .ev-slow", "--ev-tone:var(--ev-slow)"),
    (" .ev-bad", "--ev-tone:var(--ev-bad)"),
    (" .ev-idle", "--ev-tone:var(--ev-idle)"),
)
_DARK_NOTEBOOKS = "[data-jp-theme-light=false],.vscode-dark,[data-theme=dark]"
_LIGHT_NOTEBOOKS = "[data-jp-theme-light=true],.vscode-light,[data-theme=light]"


def _sheet() -> str:
    root = ".ev-card.ev-card"
    rules = [f"{root}{where.replace('{}', root)}{{{what}}}" for where, what in _RULES]
    dark = f"@media (prefers-color-scheme:dark){{{root}{{{_DARK}}}}}"
    named = [
        f":is({where}) {root}{{{what}}}"
        for where, what in ((_DARK_NOTEBOOKS, _DARK), (_LIGHT_NOTEBOOKS, _LIGHT))
    ]
    return "".join([*rules, dark, *named])


STYLE = _sheet()
