"""The workbench: editing, playing and analysing contents of any domain in the browser.

`jobs` answers requests as streams of plain data, `worker` is a process that runs them, `pool` starts and
stops such processes, `app` is the server, and `static` holds the page, which knows scenes and gestures and no
domain.
"""
