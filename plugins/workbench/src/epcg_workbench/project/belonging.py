"""What belongs to a project: the domains of its files and questions, and what is shipped for them.

Lists of a page begin with what belongs to the project; everything else stands behind "more".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epcg_core.inside import capitalized, plan_title, query_title, shipped_plans, shipped_queries
from epcg_core.plugin import EpcgError
from epcg_workbench.kept_texts import QUERY
from epcg_workbench.messages import Message
from epcg_workbench.project.folder import Project
from epcg_workbench.project.listing import listed


def own_domains(request: Mapping[str, Any]) -> list[str]:
    """Return the domains of the files and the questions of a request's project, by name; none at the desk."""
    folder = request.get("folder")
    if not isinstance(folder, str) or request.get("base") == folder:  # the desk may stand in any folder
        return []
    project, found = Project(Path(folder)), set[str]()
    try:
        for each in listed(project):
            found.add(str(each.get("domain") or ""))
            if each["kind"] == QUERY:
                found.add(query_title(project.path(each["file"]))[0])
    except EpcgError:  # the folder is gone: nothing belongs to it
        return []
    return sorted(found - {""})


def shipped_questions() -> list[Message]:
    """List the questions that plugins ship, each with its title and its domain."""
    found = []
    for name, path in sorted(shipped_queries().items()):
        domain, title = query_title(path)
        found.append({"name": name, "title": title or _spoken(name), "domains": [domain or _plugin(name)]})
    return found


def offered_plans() -> list[Message]:
    """List the plans that plugins ship, each with its title and the domains that it is about."""
    questions = {name: query_title(path) for name, path in shipped_queries().items()}
    found = []
    for name, path in sorted(shipped_plans().items()):
        domains, title = plan_title(path, questions)
        found.append(
            {"name": name, "title": title or _spoken(name), "domains": sorted(domains) or [_plugin(name)]}
        )
    return found


def _plugin(name: str) -> str:
    """Return the plugin that ships a file, which is a domain's as a rule."""
    return name.partition("/")[0]


def _spoken(name: str) -> str:
    """Return the name of a file as people say it, if it has no title."""
    return capitalized(name.rpartition("/")[2].replace("_", " ").replace("-", " "))
