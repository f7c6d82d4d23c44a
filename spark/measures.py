"""Summarize the trials behind a row of the matrix: numbers, commonest words, lists. DataFrame -> DataFrame.

The trials of a cell are gathered in one list, because a dozen aggregates with an object per cell are several times
slower. Expressions are Spark SQL, because building them by Python calls takes longer than computing them.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses
from pyspark.sql.types import ArrayType, LongType, StructField, StructType

from probe.model import Outcome
from probe.model.columns import COLUMNS, FACTS, TIMES
from probe.model.harm import FACTS_OF_HARM
from probe.model.schema import Aggregate, Type
from probe.model.schema import Column as MatrixColumn
from spark.encoding import BY_RANK, CODED, CONFORMITY, OUTCOMES, RANKED
from spark.harm import BOUNDS, HARM, counted, harm_columns, harms
from spark.schema import IDENTITY, MATRIX, TRIAL, columns

_COMMON = (*IDENTITY, "run_id")
_ELSEWHERE = frozenset({Aggregate.SAME, Aggregate.VOTE, Aggregate.HARM, Aggregate.OTHERS})
_MEASURED = tuple(column for column in COLUMNS if column.aggregate not in _ELSEWHERE)
_JOINED = tuple(column for column in COLUMNS if column.aggregate is Aggregate.UNION)
_REPORTED = tuple(
    dict.fromkeys(
        ("trial", "reason", "outcome", "conforms", *TIMES, *(column.source for column in _MEASURED), *FACTS_OF_HARM)
    )
)
"""The columns of a trial, `trial` first, so that the first trial of a list is the least."""
_TRIALS = ArrayType(StructType([TRIAL[name] for name in _REPORTED]))
_VOTES = ArrayType(columns("minus INT, outcome STRING, votes INT"))
GATHERED = StructType(
    [
        StructField("cell", LongType()),
        StructField("common", StructType([TRIAL[name] for name in _COMMON])),
        StructField("reported", _TRIALS),
    ]
)
"""A cell, the columns that its trials share, and the columns of every trial."""
SUPPORTING = StructType(
    [
        StructField("cell", LongType()),
        *(TRIAL[name] for name in (*_COMMON, "outcome")),
        StructField("tally", _VOTES),
        *columns("trials BIGINT, agreeing BIGINT, worst STRING, conforms STRING").fields,
        StructField("gravest", HARM),
        *columns("harms STRING").fields,
        StructField("reported", _TRIALS),
    ]
)
"""The same with only the trials that agree; of all trials the votes per outcome, the worst outcome, whether all
conform, the gravest harm (null = no trial says anything), and how many have which."""
_SHARES = {Aggregate.MEDIAN: 0.5, Aggregate.P95: 0.95}
_WAS_RUN = f"commonest.outcome != '{Outcome.NOT_RUN}'"
_CODE = CODED.format("trial.conforms")
_RANK = f"get({RANKED}, CAST((array_position({OUTCOMES}, trial.outcome) - 1) * {len(CONFORMITY)} + {_CODE} AS INT))"
_WORDS = f"array({', '.join('NULL' if word is None else repr(word) for word in CONFORMITY)})"


def gathered() -> tuple[Column, ...]:
    """Return the aggregates of a cell's trials: the shared columns, and the list of the columns of every trial."""
    return F.any_value(F.struct(*_COMMON)).alias("common"), F.collect_list(F.struct(*_REPORTED)).alias("reported")


def keep_agreeing(cells: DataFrame) -> DataFrame:
    """Keep the trials with the commonest outcome, the worse of equally common ones: GATHERED -> SUPPORTING."""
    votes = "size(filter(reported, trial -> trial.outcome = one))"
    per_outcome = (
        f"transform(array_distinct(reported.outcome), one -> struct(-{votes} minus, one outcome, {votes} votes))"
    )
    ranked = f"transform(tally, vote -> struct(vote.minus, array_position({OUTCOMES}, vote.outcome) place, vote))"
    voted = cells.selectExpr("*", f"array_sort({per_outcome}) tally", *BOUNDS)
    elected = voted.selectExpr("*", f"array_min({ranked}).vote commonest", f"{harms()} harms")
    found = {
        **{name: f"common.{name}" for name in _COMMON},
        "outcome": "commonest.outcome",
        "trials": f"CAST(if({_WAS_RUN}, size(reported), 0) AS BIGINT)",
        "agreeing": f"CAST(if({_WAS_RUN}, commonest.votes, 0) AS BIGINT)",
        "worst": f"get({BY_RANK}, array_max(transform(reported, trial -> {_RANK})))",
        "conforms": f"get({_WORDS}, array_max(transform(reported, trial -> {_CODE})))",
        "gravest": "array_max(harms)",
        "harms": counted(),
        "reported": "filter(reported, trial -> trial.outcome = commonest.outcome)",
    }
    return elected.selectExpr(*(f"{found.get(name, name)} {name}" for name in SUPPORTING.names))


def measure(behind: DataFrame) -> DataFrame:
    """Summarize the agreeing trials of every cell: SUPPORTING -> the input of `as_matrix`."""
    found = {
        **{column.name: _measured(column) for column in _MEASURED},
        "reason": "array_min(reported).reason",
    }
    kept = ("cell", *_COMMON, "outcome", "tally", "trials", "agreeing", "worst", "conforms", "gravest", "harms")
    return behind.selectExpr(*kept, *(f"{text} {name}" for name, text in found.items()))


def as_matrix(cells: DataFrame) -> DataFrame:
    """Set `flaky` where trials disagree, join lists, and return exactly the columns of the matrix."""
    is_flaky = "agreeing < trials"
    tally = "concat_ws(', ', transform(tally, vote -> concat_ws(' ', vote.outcome, vote.votes)))"
    disagreement = f"concat(trials, ' trials disagree: ', {tally})"
    counted = "concat_ws(';', transform(tally, vote -> concat_ws(':', vote.outcome, vote.votes)))"
    found = {
        "outcome": f"if({is_flaky}, '{Outcome.FLAKY}', outcome)",
        "outcomes": f"if(trials > 0, {counted}, NULL)",
        "reason": f"if({is_flaky}, {disagreement}, {_text('reason')})",
        **{column.name: _united(column) for column in _JOINED},
        **harm_columns(),
        **{column.name: "NULL" for column in COLUMNS if column.aggregate is Aggregate.OTHERS},  # `spark.ways_out`
    }
    return cells.selectExpr(
        *(
            f"CAST({found.get(field.name, field.name)} AS {field.dataType.simpleString()}) {field.name}"
            for field in MATRIX
        )
    )


def _text(text: str) -> str:
    """Return null for empty text, which means that the column does not apply."""
    return f"nullif({text}, '')"


def _measured(column: MatrixColumn) -> str:
    """Return the expression for a column over the agreeing trials; for a union, the list that `_united` joins."""
    values = f"reported.{column.source}"
    match column.aggregate:
        case Aggregate.COMMONEST:
            return _commonest(values)
        case Aggregate.ALL:
            return _all(values)
        case Aggregate.UNION:
            return f"sort_array(array_distinct(array_compact({values})))"
        case _:
            return _text(f"array_max({values})") if column.type is Type.STRING else _number(column, values)


def _all(values: str) -> str:
    """Return the expression that is true only if all values are."""
    return f"array_min({values})"


def _number(column: MatrixColumn, values: str) -> str:
    if column.aggregate in _SHARES:
        value = _percentile(values, _SHARES[column.aggregate])
    else:
        value = f"array_{column.aggregate}({values})"
        if isinstance(TRIAL[column.source].dataType, LongType):
            return value
    exact = f"round(CAST({value} AS DOUBLE), 6)"  # remainders of binary fractions must not change the last digit
    return f"round({exact}, 1)" if column.type is Type.DOUBLE else f"floor({exact} + 0.5D)"


def _united(column: MatrixColumn) -> str:
    """Return the joined lists of the trials: codes, highest versions, or letters."""
    match FACTS[column.source]:
        case Type.CODES:
            return _joined(f"array_distinct(flatten({column.name}))")
        case Type.VERSIONS:
            return _joined(_highest_versions(f"flatten({column.name})"))
        case _:
            return _joined(f"array_sort(array_distinct(split(concat_ws('', {column.name}), '')))", "")


def _percentile(values: str, share: float) -> str:
    """Return a percentile, interpolated linearly; null if there is no value."""
    return _with("ordered", f"sort_array(array_compact({values}))", interpolated("ordered", share))


def interpolated(ordered: str, share: float) -> str:
    """Return the expression for a percentile of a sorted list, interpolated linearly as Spark's `percentile` does."""
    place = f"((size({ordered}) - 1) * {share}D)"
    below, above = (f"get({ordered}, CAST({nth}({place}) AS INT))" for nth in ("floor", "ceil"))
    return f"{below} + ({above} - {below}) * ({place} - floor({place}))"


def _commonest(words: str) -> str:
    """Return the commonest word; the first one among equally common ones."""
    counted = "struct(-size(filter(present, other -> other = word)) minus, word)"
    commonest = f"array_min(transform(array_distinct(present), word -> {counted})).word"
    return _with("present", f"filter({words}, word -> word != '')", commonest)


def _highest_versions(pairs: str) -> str:
    mine = "filter(pairs, pair -> pair.api = api)"
    highest = f"concat_ws('=', api, array_max(transform({mine}, pair -> pair.version)))"
    listed = f"transform(array_distinct(transform(pairs, pair -> pair.api)), api -> {highest})"
    return _with("pairs", pairs, listed)


def _with(name: str, value: str, text: str) -> str:
    """Return the expression `text` in which `name` stands for `value`, which is evaluated once."""
    return f"transform(array({value}), {name} -> {text})[0]"


def _joined(items: str, between: str = ";") -> str:
    """Return a joined list; null for an empty one, which means that the column does not apply."""
    return _text(f"array_join({items}, '{between}')")
