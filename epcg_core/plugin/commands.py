"""What commands of plugins are made of: options, tables, progress, and files that are written whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import facade

if TYPE_CHECKING:
    from epcg_core import (
        documents as documents,
    )
    from epcg_core.cli.logs import (
        hide_messages as hide_messages,
    )
    from epcg_core.cli.options import (
        candidate_timeout_option as candidate_timeout_option,
        command as command,
        computing_options as computing_options,
        db_option as db_option,
        format_option as format_option,
        json_option as json_option,
        renamed_option as renamed_option,
        run_argument as run_argument,
    )
    from epcg_core.cli.output import (
        Number as Number,
        count as count,
        csv_lines as csv_lines,
        duration as duration,
        json_value as json_value,
        labelled as labelled,
        printable as printable,
        say as say,
        show as show,
        size as size,
        write as write,
        write_json as write_json,
        write_table as write_table,
    )
    from epcg_core.execution import (
        Progress as Progress,
    )
    from epcg_core.execution.apart import (
        Apart as Apart,
        TimeUpError as TimeUpError,
    )
else:
    __getattr__, __dir__, __all__ = facade(__name__, __file__)
