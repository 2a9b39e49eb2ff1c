"""The server: one WebSocket, uploads, written files, and the page itself; on this machine only by default.

Pages of other sites reach a server on this machine as well as ours does. So requests are answered only where they name
this server as their host, and come from its own page; with another address than loopback they need a token, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import secrets
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from mocapella import __version__
from mocapella.errors import MotionError
from mocapella.studio.connection import LARGEST_MESSAGE, Connection
from mocapella.studio.opened_folder import LARGEST_UPLOAD
from mocapella.studio.saving import opened, projects_folder, recent_projects, sweep_projects
from mocapella.studio.session import Session
from mocapella.studio.workers.pool import Pool

_STATIC = Path(__file__).parent / "static"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_CALM = 4.0  # seconds after which there is time to start a worker
_MOST_PAGES = 16  # connections at once
_SEND_BUFFER = 1 << 16  # bytes: limit of what is queued for a slow page
_UNBUILT = "the studio's page is not built; run `make web` in a checkout, or install a released wheel"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "media-src 'self' blob:; connect-src 'self' {sockets}; worker-src 'self' blob:; object-src 'none'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Guard:
    """Decides which requests are answered."""

    port: int
    token: str = ""  # needed where it is not empty

    def refusal(self, request: HTTPConnection, *, needs_token: bool = True) -> str:
        """Why a request is refused; empty if it is answered."""
        host = request.headers.get("host", "")
        if not self.token and host not in {f"{name}:{self.port}" for name in _LOOPBACK}:
            return f"this server answers to localhost:{self.port}, not to {host[:80]!r}"
        origin = request.headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return f"pages of {origin[:80]!r} cannot use this server"
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "pages of other sites cannot use this server"
        given = request.query_params.get("token", "")
        if self.token and needs_token and not hmac.compare_digest(given.encode(), self.token.encode()):
            return "the address needs the token that was printed when the server started"
        return ""


class _Guarded:
    """Refuses requests that a guard refuses, and puts the headers on answers."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app, self.guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        public = path in ("/health", "/favicon.ico", "/favicon.svg") or path.startswith("/assets/")
        refusal = self.guard.refusal(HTTPConnection(scope), needs_token=not public)
        if refusal and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403, "reason": refusal[:100]})
            return
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        sockets = f"ws://{host} wss://{host}" if not refusal else ""
        headers = [(k.lower().encode(), v.format(sockets=sockets).encode()) for k, v in _HEADERS.items()]

        async def answered(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        if refusal:
            await PlainTextResponse(refusal + "\n", 403)(scope, receive, answered)
            return
        await self.app(scope, receive, answered)


def make_app(session: Session, guard: Guard, *, static: Path = _STATIC) -> Starlette:
    """The application."""

    async def health(request: Request) -> Response:
        return JSONResponse({"ok": True, "version": __version__})

    async def page(request: Request) -> Response:
        if not (static / "index.html").is_file():
            return PlainTextResponse(_UNBUILT + "\n", 503)
        return FileResponse(static / "index.html")

    async def socket_route(connected: WebSocket) -> None:
        if len(session.listeners) >= _MOST_PAGES:
            await connected.close(4429, f"{_MOST_PAGES} pages are open already")
            return
        await connected.accept()
        await Connection(connected, session).run()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.create_task(_warm(session))
        try:
            yield
        finally:
            warming.cancel()
            await session.close()

    routes = [
        Route("/health", health),
        Route("/", page),
        Route("/upload", partial(_upload, session), methods=["POST"]),
        Route("/files/{path:path}", partial(_file, session)),
        WebSocketRoute("/ws", socket_route),
    ]
    if static.is_dir():
        routes.append(Mount("/", StaticFiles(directory=static)))
    app = Starlette(routes=routes, lifespan=lifespan)
    app.add_middleware(_Guarded, guard=guard)
    return app


async def _warm(session: Session) -> None:
    """Start a worker before it is needed, once the first page has what it needs."""
    await asyncio.sleep(_CALM)
    await session.pool.warm()


async def _upload(session: Session, request: Request) -> Response:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > LARGEST_UPLOAD:
        return JSONResponse({"error": f"files of up to {LARGEST_UPLOAD // 1000**2} MB are taken"}, 413)
    name, batch = request.query_params.get("name", ""), request.query_params.get("batch", "0")
    try:
        session.folder.upload_place(name, batch)  # before a folder is made for it
        path = await session.home(Path(name).stem).store(name, batch, request.stream())
    except MotionError as error:
        return JSONResponse({"error": str(error)}, 413 if "larger than" in str(error) else 400)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody reads it
    return JSONResponse({"path": path})


async def _file(session: Session, request: Request) -> Response:
    try:
        path = session.folder.path(request.path_params["path"])
    except MotionError as error:
        return PlainTextResponse(f"{error}\n", 403)
    if not path.is_file() or path.is_symlink():
        return PlainTextResponse("there is no such file\n", 404)
    return FileResponse(path, filename=path.name, media_type="application/octet-stream")


# Starting.


def serve(
    path: Path | None = None,
    *,
    port: int = 8080,
    host: str = "",
    library: Path | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the studio until it is interrupted.

    ``path`` is opened; None opens the embedded actor. A ``host`` other than loopback needs a token. ``library`` is a
    folder with a library of captures; the one in the opened folder if None. ``say`` is called with the address first.
    Raises ``MotionError`` where the port is taken, or ``path`` cannot be opened.
    """
    folder, history, keep = opened(path)
    sweep_projects()
    session = Session(folder, history, keep=keep, pool=Pool(), library=library)
    listening = _listening(host or "127.0.0.1", port)
    number = listening.getsockname()[1]
    local = not host or _is_loopback(host)
    guard = Guard(number, "" if local else secrets.token_urlsafe(24))
    shown = host if host not in ("", "0.0.0.0", "::") else "127.0.0.1" if local else socket.gethostname()
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{number}/"
    address += f"?token={guard.token}" if guard.token else ""
    say(address)
    if path is None and (recent := recent_projects()):
        say(f"recent projects, in {projects_folder()}: {', '.join(recent)}")
    try:
        asyncio.run(_serve(session, guard, listening, address if browser else ""))
    finally:
        listening.close()


async def _serve(session: Session, guard: Guard, listening: socket.socket, address: str) -> None:
    sys.setswitchinterval(0.001)  # so that poses do not wait for computations of other threads
    await session.begin()
    config = uvicorn.Config(
        make_app(session, guard),
        log_level="error",
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    beside = [asyncio.create_task(_leave(server, session))]
    if address:
        beside.append(asyncio.create_task(_open_page(server, address)))
    with contextlib.suppress(SystemExit):
        await server.serve([listening])
    for task in beside:
        task.cancel()


async def _leave(server: uvicorn.Server, session: Session) -> None:
    """Close the connections of all pages when the server stops; pages connect again when it restarts."""
    while not server.should_exit:
        await asyncio.sleep(0.1)
    for connection in list(session.listeners):
        await connection.close()


async def _open_page(server: uvicorn.Server, address: str) -> None:
    while not server.started:
        await asyncio.sleep(0.02)
    await asyncio.to_thread(webbrowser.open, address)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # Named as TCP, or asyncio would leave Nagle's delay on: each pose would wait for the page's next word.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        listening.bind((host, port))
        listening.listen(128)  # a request as soon as the address is printed waits instead of being refused
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MotionError(f"cannot listen at {host}, port {port}: {reason}; --port 0 takes a free one") from None
    return listening


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
