"""Spark's built-in functions by kind, as Spark 4.1 has them; written by `make functions`."""

from __future__ import annotations

AGGREGATES: frozenset[str] = frozenset(
    {
        "any", "any_value", "approx_count_distinct", "approx_percentile", "approx_top_k",
        "approx_top_k_accumulate", "approx_top_k_combine", "array_agg", "avg", "bit_and",
        "bit_or", "bit_xor", "bitmap_and_agg", "bitmap_construct_agg", "bitmap_or_agg",
        "bool_and", "bool_or", "collect_list", "collect_set", "corr", "count", "count_if",
        "count_min_sketch", "covar_pop", "covar_samp", "every", "first", "first_value",
        "histogram_numeric", "hll_sketch_agg", "hll_union_agg", "kll_merge_agg_bigint",
        "kll_merge_agg_double", "kll_merge_agg_float", "kll_sketch_agg_bigint",
        "kll_sketch_agg_double", "kll_sketch_agg_float", "kurtosis", "last", "last_value",
        "listagg", "max", "max_by", "mean", "median", "min", "min_by", "mode", "percentile",
        "percentile_approx", "percentile_cont", "percentile_disc", "regr_avgx", "regr_avgy",
        "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy",
        "regr_syy", "schema_of_variant_agg", "skewness", "some", "std", "stddev",
        "stddev_pop", "stddev_samp", "string_agg", "sum", "theta_intersection_agg",
        "theta_sketch_agg", "theta_union_agg", "try_avg", "try_sum", "var_pop", "var_samp",
        "variance",
    }
)  # fmt: skip

GENERATORS: frozenset[str] = frozenset(
    {
        "explode", "explode_outer", "inline", "inline_outer", "json_tuple", "posexplode",
        "posexplode_outer", "stack",
    }
)  # fmt: skip

WINDOW_ONLY: frozenset[str] = frozenset(
    {
        "cume_dist", "dense_rank", "lag", "lead", "nth_value", "ntile", "percent_rank",
        "rank", "row_number",
    }
)  # fmt: skip

TABLE_FUNCTIONS: frozenset[str] = frozenset(
    {
        "collations", "explode", "explode_outer", "inline", "inline_outer", "json_tuple",
        "posexplode", "posexplode_outer", "python_worker_logs", "range", "sql_keywords",
        "stack", "variant_explode", "variant_explode_outer",
    }
)  # fmt: skip
