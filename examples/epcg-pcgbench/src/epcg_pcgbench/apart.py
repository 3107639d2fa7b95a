"""`epcg pcgbench apart`: how far the good contents of a run are apart."""

from __future__ import annotations

import click

from epcg_core.plugin import command, db_option, run_argument

MOST = 30_000
"""Number of contents up to which all pairs are compared; of more contents, this number is drawn."""


@command("apart")
@run_argument
@click.argument("metric")
@click.option("--seed", default=0, show_default=True, help="draws contents if there are many")
@db_option
def apart(run_id: int, metric: str, seed: int, location: str) -> None:
    """Count pairs of contents of RUN for which METRIC holds, by how many cells differ."""
    import numpy as np

    from epcg_core.plugin import Store, columns, make_generator, output, parse_puzzle_id, read_only, registry
    from epcg_pcgbench.kernels import differences

    with Store.open(location) as store, store.reader() as reader:
        space, _ = parse_puzzle_id(registry(), f"{reader.run(run_id).space}#0")
        parts = [part.ranks for part in columns(reader, run_id, [metric], where=f"{metric} = 1")]
    ranks = np.concatenate([np.zeros(0, np.int64), *parts])
    good = len(ranks)
    if good > MOST:
        ranks = np.sort(np.random.default_rng(seed).choice(ranks, MOST, replace=False))
        output.say(f"{MOST:,} of {good:,} contents are drawn, with seed {seed}.")
    contents = make_generator(registry(), space).states_at(ranks)
    pairs = np.zeros(contents.shape[1] + 1, np.int64)
    differences(read_only(contents), pairs)
    output.write_table(
        ["cells", "pairs"], [(cells, int(number)) for cells, number in enumerate(pairs) if number]
    )
