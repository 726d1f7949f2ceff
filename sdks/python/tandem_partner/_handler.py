"""Answers the requests of an endpoint for postbacks, in any web framework."""
from __future__ import annotations

import asyncio
import inspect
import re
from functools import partial
from http import HTTPStatus
from typing import (
    Any,
    Awaitable,
    Callable,
    Dict,
    Generator,
    Iterable,
    List,
    Mapping,
    MutableMapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
    cast,
)

from ._postback import PostbackVerificationError, VerifiedPostback, keys_of, verify_postback
from ._store import AsyncClaimedIds, AsyncHandledIds, ClaimedIds, HandledIds

#: The maximum size of a body. No postback is larger.
MAX_BODY_BYTES = 1024 * 1024
_BUSY_SECONDS = 5


class PostbackAnswer(NamedTuple):
    """The answer of the endpoint. Flask accepts the answer unchanged, and ``starlette.responses.Response(*answer)`` takes its parts."""

    text: str
    status: int
    headers: Dict[str, str]


def _answer(status: int, text: str, headers: Optional[Dict[str, str]] = None) -> PostbackAnswer:
    return PostbackAnswer(text, status, {"content-type": "text/plain; charset=utf-8", **(headers or {})})


#: A call of the application's code. The result is sent back into the generator, which does not know whether the result was awaited.
_Work = Callable[[], Any]
_Steps = Generator[_Work, Any, PostbackAnswer]


class _Handler:
    """The steps of an endpoint. The subclasses carry them out, synchronously or with asyncio."""

    def __init__(
        self,
        *,
        secrets: Union[str, Sequence[str]],
        store: Any,
        on_sale: Callable[[VerifiedPostback], Any],
        on_sale_closed: Optional[Callable[[VerifiedPostback], Any]] = None,
        on_error: Optional[Callable[[Exception], Any]] = None,
        authorization: Optional[str] = None,
    ) -> None:
        """
        secrets: ``whsec_…``. Pass two during a rotation: one of them must match.
        store: remembers which postbacks were handled. It has ``is_handled``, or ``claim``, ``done`` and ``release``. If a store has
            all four methods, only ``is_handled`` is called. ``MemoryStore()`` is enough for one process that may forget them at a restart.
        on_sale: books a sale. When it raises, the platform sends the postback again later. ``on_sale`` also receives the samples
            that ``tandem.postback.test()`` or a manager requested; ``is_sample`` is then True.
        on_sale_closed: handles the notice of a refund or chargeback. None: notices are ignored.
        on_error: receives the reason of each 401 and 500, and the errors of the store. What it raises is ignored.
        authorization: the whole header that you expect, ``Bearer <key>`` or ``Basic <base64 of user:password>``. None: it is not compared.

        Raises ValueError for a wrong or missing secret or a wrong authorization, and TypeError for a store without its methods.
        """
        keys_of(secrets)
        if authorization == "":
            raise ValueError("authorization is empty: is its variable set?")
        if authorization is not None and not re.match(r"(Bearer|Basic) \S", str(authorization)):
            raise ValueError("authorization must be the whole header, such as Bearer <key>")
        self._is_in_transaction = callable(getattr(store, "is_handled", None))
        is_claimed = all(callable(getattr(store, name, None)) for name in ("claim", "done", "release"))
        if not self._is_in_transaction and not is_claimed:
            raise TypeError("a store has is_handled(), or claim(), done() and release()")
        self._secrets = secrets
        self._store = store
        self._on_sale = on_sale
        self._on_sale_closed = on_sale_closed
        self._on_error = on_error
        self._authorization = authorization

    def _steps(self, headers: Mapping[str, str], raw_body: Union[bytes, str]) -> _Steps:
        try:
            body = raw_body.encode() if isinstance(raw_body, str) else raw_body
            if len(body) > MAX_BODY_BYTES:
                return _answer(413, "the body is too long")
            verified = verify_postback(headers, body, self._secrets, authorization=self._authorization)
            handle = self._handle_of(verified)
            if handle is None:
                return _answer(200, "ignored")
            steps = self._in_transaction if self._is_in_transaction else self._by_claim
            return (yield from steps(verified.id, handle))
        except PostbackVerificationError as error:
            yield from self._report(error)
            return _answer(401, error.reason)
        except Exception as error:
            yield from self._report(error)
            return _answer(500, "failed")

    def _handle_of(self, verified: VerifiedPostback) -> Optional[_Work]:
        functions = {"sale": self._on_sale, "closure": self._on_sale_closed}
        function = functions.get(verified.kind)
        return partial(function, verified) if function else None

    def _in_transaction(self, webhook_id: str, handle: _Work) -> _Steps:
        if (yield lambda: self._store.is_handled(webhook_id)):
            return _answer(200, "handled before")
        yield handle
        return _answer(200, "handled")

    def _by_claim(self, webhook_id: str, handle: _Work) -> _Steps:
        claimed = yield lambda: self._store.claim(webhook_id)
        if claimed == "busy":
            # The status is 409, because a 503 would pause the whole endpoint.
            return _answer(409, "being handled", {"retry-after": str(_BUSY_SECONDS)})
        if not claimed:
            return _answer(200, "handled before")
        try:
            yield handle
        except Exception as error:
            # The id is released before on_error is called, so that an on_error that hangs cannot prevent the release.
            failed = yield from self._settled(lambda: self._store.release(webhook_id))
            yield from self._report(error)
            if failed:
                yield from self._report(failed)
            return _answer(500, "failed")
        # The sale is booked, so a store that fails now must not make the platform send the postback again.
        failed = yield from self._settled(lambda: self._store.done(webhook_id))
        if failed:
            yield from self._report(failed)
        return _answer(200, "handled")

    def _settled(self, work: _Work) -> Generator[_Work, Any, Optional[Exception]]:
        try:
            yield work
            return None
        except Exception as error:
            return error

    def _report(self, error: Exception) -> Generator[_Work, Any, None]:
        if self._on_error:
            on_error = self._on_error
            # An on_error that fails must not change the answer.
            yield from self._settled(lambda: on_error(error))


class PostbackHandler(_Handler):
    """Verifies postbacks, and books each sale and handles each notice once. A handler is also a WSGI application.

    handler = PostbackHandler(secrets=["whsec_…"], authorization="Bearer my-own-key", store=store, on_sale=book)

    @app.post("/tandem")                                                    # Flask
    def receive_postback():
        return handler.handle(request.headers, request.get_data())

    @csrf_exempt                                                            # Django
    def receive_postback(request):
        text, status, headers = handler.handle(request.headers, request.body)
        return HttpResponse(text, status=status, headers=headers)
    """

    _store: Union[ClaimedIds, HandledIds]

    def handle(self, headers: Mapping[str, str], raw_body: Union[bytes, str]) -> PostbackAnswer:
        """Returns 200 when the postback is handled, now or by an earlier attempt, or is ignored. Any other status makes the platform
        send the postback again.

        headers: any mapping; names are case-insensitive.
        raw_body: the body exactly as it was received.
        """
        steps = self._steps(headers, raw_body)
        try:
            work = next(steps)
            while True:
                try:
                    result = _finished(work())
                except Exception as error:
                    work = steps.throw(error)
                else:
                    work = steps.send(result)
        except StopIteration as end:
            return cast(PostbackAnswer, end.value)

    def __call__(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> List[bytes]:
        headers = {key[5:].replace("_", "-"): value for key, value in environ.items() if key.startswith("HTTP_")}
        length = min(int(environ.get("CONTENT_LENGTH") or 0), MAX_BODY_BYTES + 1)
        text, status, answered = self.handle(headers, environ["wsgi.input"].read(length))
        start_response(f"{status} {HTTPStatus(status).phrase}", list(answered.items()))
        return [text.encode()]


def _finished(result: Any) -> Any:
    """Returns the result. Refuses an awaitable: a coroutine that nobody awaits would confirm a sale that was not booked."""
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError("a function or the store is async: use AsyncPostbackHandler")
    return result


#: The tasks that are handling postbacks. A server can cancel a request at any ``await``. If the request itself handled the postback, a
#: cancellation could leave the id claimed, whether or not the sale is booked; so each postback has a task of its own. This set keeps the
#: tasks alive, because the event loop has only weak references to tasks.
_TASKS: Set[asyncio.Task[PostbackAnswer]] = set()


def _is_asyncio() -> bool:
    """Whether the caller runs as a task of asyncio, and not in another event loop such as trio's."""
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False


async def _awaited(work: _Work) -> Any:
    """Runs the work, and awaits its result if it is awaitable. A CancelledError, which does not derive from Exception, is raised as a
    RuntimeError, so that the claim is released."""
    try:
        result = work()
        return await result if inspect.isawaitable(result) else result
    except asyncio.CancelledError as error:
        # The work awaited something that was cancelled, or the event loop is closing.
        raise RuntimeError("the work was cancelled") from error


class AsyncPostbackHandler(_Handler):
    """Does the same as PostbackHandler for asyncio. The functions and the methods of the store may be async or not.

    A handler is also an ASGI application: ``app.mount("/tandem", handler)`` in Starlette and FastAPI.

    @app.post("/tandem")                                                    # FastAPI, Starlette
    async def receive_postback(request: Request):
        return Response(*await handler.handle(request.headers, await request.body()))
    """

    _store: Union[AsyncClaimedIds, AsyncHandledIds, ClaimedIds, HandledIds]

    async def handle(self, headers: Mapping[str, str], raw_body: Union[bytes, str]) -> PostbackAnswer:
        """See PostbackHandler. A request that is cancelled, for example because its connection was closed, does not stop on_sale."""
        running = self._carry_out(self._steps(headers, raw_body))
        if not _is_asyncio():
            return await running
        task = asyncio.ensure_future(running)
        _TASKS.add(task)
        task.add_done_callback(_TASKS.discard)
        return await asyncio.shield(task)

    async def _carry_out(self, steps: _Steps) -> PostbackAnswer:
        try:
            work = next(steps)
            while True:
                try:
                    result = await _awaited(work)
                except Exception as error:
                    work = steps.throw(error)
                else:
                    work = steps.send(result)
        except StopIteration as end:
            return cast(PostbackAnswer, end.value)

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        if scope["type"] != "http":
            raise TypeError(f"an endpoint for postbacks has no {scope['type']}")
        body = b""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            if not message.get("more_body") or len(body) > MAX_BODY_BYTES:
                break
        text, status, headers = await self.handle(_Received(scope["headers"]), body)
        sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": sent})
        await send({"type": "http.response.body", "body": text.encode()})


class _Received(Dict[str, str]):
    """Headers as they were received. ``items`` repeats a name that was sent twice, so that verify_postback can refuse it."""

    def __init__(self, headers: Iterable[Tuple[bytes, bytes]]) -> None:
        self._pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
        super().__init__(self._pairs)

    def items(self) -> Any:
        return self._pairs
