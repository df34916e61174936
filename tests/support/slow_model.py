"""Runs an OpenAI-compatible endpoint that answers slowly, for many callers at once."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def slow_model(content: str, seconds: float) -> Iterator[str]:
    """Yields the base address of a server that sends one content after ``seconds``."""
    answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]})
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        f"Content-Length: {len(answer.encode())}\r\n\r\n"
    )

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(asked.partition("content-length:")[2].split()[0])
        await reader.readexactly(length)
        await asyncio.sleep(seconds)
        writer.write((head + answer).encode())
        await writer.drain()
        writer.close()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    starting = asyncio.start_server(reply, "127.0.0.1", 0, backlog=512)
    server = asyncio.run_coroutine_threadsafe(starting, loop).result()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
