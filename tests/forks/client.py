"""`python -I -S client.py SOCKET ARGUMENTS`: `epcg ARGUMENTS` in a fork of what listens there (shell.py).

It sends its folder, arguments, environment and streams, and afterwards SIGINT and SIGTERM as one byte each.
It ends as the command did. It imports next to nothing, so that it starts in milliseconds.
"""

import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    words = [os.getcwd(), "ignored" if ignored else "", str(len(sys.argv) - 2), *sys.argv[2:]]  # noqa: PTH109
    words += [f"{key}={value}" for key, value in os.environ.items()]
    message = os.fsencode("\0".join(words))
    socket.send_fds(server, [len(message).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(message)
    for number in (signal.SIGTERM,) if ignored else (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: server.send(bytes([number])))
    answer = server.recv(4)
code = int.from_bytes(answer, "big", signed=True) if len(answer) == 4 else 1
if code < 0:
    if code != -signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
