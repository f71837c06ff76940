"""Uses starlette: routing, middleware, responses, forms, sessions, websockets and errors, over plain ASGI."""

# ruff: noqa: E501, F401, SIM105  # a run of everything, for its calls

import asyncio
import tempfile
from pathlib import Path

from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, SimpleUser, requires
from starlette.background import BackgroundTask, BackgroundTasks
from starlette.datastructures import URL, FormData, Headers, MutableHeaders, QueryParams, Secret, URLPath
from starlette.endpoints import HTTPEndpoint, WebSocketEndpoint
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    StreamingResponse,
)
from starlette.routing import Host, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

FOLDER = tempfile.mkdtemp()
Path(FOLDER, "a.txt").write_text("text" * 500)


async def home(request):
    request.url_for("item", number=3)
    request.cookies, request.query_params, request.client, request.base_url, request.headers.get("x")
    response = HTMLResponse("<p>" * 600)
    response.set_cookie("a", "b", max_age=3)
    response.delete_cookie("c")
    return response


def item(request):
    return JSONResponse({"n": request.path_params["number"]}, background=BackgroundTask(print, end=""))


async def body(request):
    data = await request.json() if "json" in request.headers.get("content-type", "") else await request.body()
    tasks = BackgroundTasks()
    tasks.add_task(print, end="")
    return PlainTextResponse(str(data), background=tasks)


async def form(request):
    async with request.form() as data:
        return PlainTextResponse(str(list(data.multi_items())))


async def stream(request):
    async def chunks():
        for number in range(3):
            yield str(number)

    return StreamingResponse(chunks())


async def broken(request):
    raise HTTPException(418, headers={"a": "b"})


async def crash(request):
    raise ValueError("x")


@requires("authenticated", redirect="home")
async def private(request):
    return PlainTextResponse(request.user.display_name)


class Thing(HTTPEndpoint):
    async def get(self, request):
        return RedirectResponse("/")

    def post(self, request):
        return FileResponse(str(Path(FOLDER, "a.txt")), filename="a.txt")


class Echo(WebSocketEndpoint):
    encoding = "json"

    async def on_receive(self, websocket, data):
        await websocket.send_json(data)


async def talk(websocket):
    await websocket.accept()
    await websocket.send_text(await websocket.receive_text())
    await websocket.close()


class Backend(AuthenticationBackend):
    async def authenticate(self, conn):
        if "authorization" in conn.headers:
            return AuthCredentials(["authenticated"]), SimpleUser("me")
        return None


class Timing(BaseHTTPMiddleware):
    async def dispatch(self, request, call_next):
        response = await call_next(request)
        response.headers["x-time"] = "1"
        return response


async def handle(request, error):
    return PlainTextResponse("handled", status_code=400)


app = Starlette(
    routes=[
        Route("/", home, name="home"),
        Route("/item/{number:int}", item, name="item"),
        Route("/body", body, methods=["POST"]),
        Route("/form", form, methods=["POST"]),
        Route("/stream", stream),
        Route("/broken", broken),
        Route("/crash", crash),
        Route("/private", private),
        Route("/thing", Thing),
        WebSocketRoute("/echo", Echo),
        WebSocketRoute("/talk", talk),
        Mount("/static", StaticFiles(directory=FOLDER, html=True), name="static"),
        Host("api.example.org", Starlette(routes=[Route("/", home)])),
    ],
    middleware=[
        Middleware(TrustedHostMiddleware, allowed_hosts=["*"]),
        Middleware(CORSMiddleware, allow_origins=["http://a"], allow_methods=["*"], allow_headers=["x"]),
        Middleware(GZipMiddleware),
        Middleware(AuthenticationMiddleware, backend=Backend()),
        Middleware(Timing),
    ],
    exception_handlers={KeyError: handle, 404: handle},
)


async def call(path, method="GET", content=b"", headers=(), scope_type="http", messages=()):
    pending = list(messages) or [{"type": "http.request", "body": content, "more_body": False}]
    path, _, query = path.partition("?")
    scope = {
        "type": scope_type, "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
        "root_path": "", "scheme": "http", "query_string": query.encode(), "client": ("1.2.3.4", 5),
        "server": ("localhost", 80), "headers": [(b"host", b"localhost"), *headers], "subprotocols": [], "state": {},
    }  # fmt: skip

    async def receive():
        if pending:
            return pending.pop(0)
        await asyncio.sleep(0.05)
        return {"type": "http.disconnect" if scope_type == "http" else "websocket.disconnect", "code": 1000}

    async def send(message):
        pass

    try:
        await app(scope, receive, send)
    except ValueError:
        pass


async def main():
    await call("/")
    await call("/", headers=[(b"accept-encoding", b"gzip"), (b"origin", b"http://a"), (b"cookie", b"a=b")])
    await call("/?a=1&b=2", method="HEAD")
    await call("/", method="OPTIONS", headers=[(b"origin", b"http://a"), (b"access-control-request-method", b"GET")])
    await call("/", headers=[(b"host", b"api.example.org")])
    await call("/item/4")
    await call("/item/4/")
    await call("/item/x")
    await call("/body", "POST", b'{"a": 1}', [(b"content-type", b"application/json")])
    await call("/body", "POST", b"raw")
    await call("/form", "POST", b"a=1&b=2", [(b"content-type", b"application/x-www-form-urlencoded")])
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n--x--\r\n'
    await call("/form", "POST", part, [(b"content-type", b"multipart/form-data; boundary=x")])
    await call("/stream")
    await call("/broken")
    await call("/crash")
    await call("/private")
    await call("/private", headers=[(b"authorization", b"x")])
    await call("/thing")
    await call("/thing", "POST")
    await call("/thing", "PUT")
    await call("/static/a.txt")
    await call("/static/missing.txt")
    await call("/static/a.txt", headers=[(b"range", b"bytes=0-3")])
    await call("/nowhere")
    text = {"type": "websocket.receive", "text": '{"a": 1}'}
    await call("/echo", scope_type="websocket", messages=[{"type": "websocket.connect"}, text])
    await call("/talk", scope_type="websocket", messages=[{"type": "websocket.connect"}, text])
    await call("/no", scope_type="websocket", messages=[{"type": "websocket.connect"}])


asyncio.run(main())
url = URL("http://user:pw@host:80/path?a=1#f")
url.replace(port=8, password="x").include_query_params(b=2).remove_query_params("a"), repr(url), str(url)
URLPath("/x").make_absolute_url(url)
params = QueryParams("a=1&a=2")
params.getlist("a"), params["a"], dict(params), params == QueryParams("a=2"), str(params), repr(params)
headers = MutableHeaders({"a": "b"})
headers["c"] = "d"
headers.update({"e": "f"})
headers.add_vary_header("x")
del headers["a"]
Headers(raw=[(b"a", b"b")]).mutablecopy(), "a" in headers, list(headers), repr(headers), str(Secret("x"))
FormData([("a", "b")])
