"""Writing whole files: only where none is, which makes a commit file of our own a compare-and-swap,
or in place of one.
"""

from __future__ import annotations

import os
from typing import Any

import obstore
from obstore.exceptions import UnknownConfigurationKeyError
from obstore.store import LocalStore, ObjectStore, from_url

from everview.errors import UnsupportedFeature
from everview.lake.storage import Storage, is_absolute

_PREFIXES = ("aws_", "azure_", "google_")
# Options of the connection; the others are of the store.
_OF_CLIENT = frozenset(
    {
        *("allow_http", "allow_invalid_certificates", "connect_timeout", "default_content_type"),
        *("http1_only", "http2_only", "pool_idle_timeout", "pool_max_idle_per_host", "proxy_url"),
        *("proxy_ca_certificate", "proxy_excludes", "root_certificate", "randomize_addresses"),
        *("read_timeout", "timeout", "user_agent"),
    }
)
_LOCKING = "AWS_S3_LOCKING_PROVIDER"


def put_if_absent(storage: Storage, path: str, content: bytes) -> None:
    """Write a whole file at once; obstore's AlreadyExistsError if there is one already."""
    obstore.put(_store(storage), path, content, mode="create", use_multipart=False)


def put_over(storage: Storage, path: str, content: bytes) -> None:
    """Write a whole file at once, in place of the one that may be there."""
    obstore.put(_store(storage), path, content, mode="overwrite", use_multipart=False)


def _store(storage: Storage) -> ObjectStore:
    if not is_absolute(storage.uri):
        return LocalStore(prefix=storage.uri)
    _refuse_locks(storage)
    # Which options there are depends on the kind of store, so they have no one type.
    client: Any = {}
    own: Any = {}
    for key, value in storage.options.items():
        plain = key.lower()
        for prefix in _PREFIXES:
            plain = plain.removeprefix(prefix)
        if plain in _OF_CLIENT:
            client[plain] = value
        elif _is_known(storage.uri, key, value):
            own[key] = value
    return from_url(storage.uri, config=own, client_options=client)


def _is_known(uri: str, key: str, value: str) -> bool:
    """Whether the store has this option; some are of the Delta library alone."""
    option: Any = {key: value}
    try:
        from_url(uri, config=option)
    except UnknownConfigurationKeyError:
        return False
    except Exception:
        return True  # known, and wrong without the others
    return True


def _refuse_locks(storage: Storage) -> None:
    """Writers that take turns by a lock do not see a file that was put without it."""
    why = why_not_put(storage)
    if why:
        remedy = "Use a store with conditional writes; a view can be dropped and created again."
        raise UnsupportedFeature(why, remedy=remedy)


def why_not_put(storage: Storage) -> str:
    """Why no commit file of our own can be written at a location, "" if one can."""
    options = {key.upper(): value for key, value in storage.options.items()}
    if not is_absolute(storage.uri) or not (options.get(_LOCKING) or os.environ.get(_LOCKING)):
        return ""
    return (
        f"neither a new definition nor deletion vectors can be written at {storage.uri}: its "
        f"commits are ordered by a lock ({_LOCKING})"
    )
