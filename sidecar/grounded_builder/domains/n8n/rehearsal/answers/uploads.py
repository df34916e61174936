"""Answers the requests that begin an upload in parts: each service names the place of the parts.

The forms are those of the public references:
https://developers.google.com/workspace/drive/api/guides/manage-uploads (``Location``),
https://ai.google.dev/api/files (``X-Goog-Upload-URL``),
https://tus.io/protocols/resumable-upload (``Location``),
https://learn.microsoft.com/en-us/graph/api/driveitem-createuploadsession (``uploadUrl``),
https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api
(``value.uploadUrl``),
https://docs.slack.dev/reference/methods/files.getUploadURLExternal (``upload_url``),
https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html (``UploadId``).
"""

from __future__ import annotations

from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, json_answer

_SOURCE = "the format of uploads in parts"
_LATER = "2026-12-31T00:00:00.000Z"
_SESSION = "upload_id=rehearsal"


def answer_upload(question: Question) -> Answer | None:
    """Returns the answer to the beginning or end of an upload in parts, None for others."""
    request, path = question.request, question.path
    place = _place_of_parts(request.url)
    if _SESSION in request.url and "generativelanguage" in request.host:
        return json_answer({"file": _describe_file(question)}, _SOURCE)
    if _SESSION in request.url:
        return None
    if request.query.get("uploadType") == "resumable" or "tus-resumable" in request.headers:
        return Answer(201 if "tus-resumable" in request.headers else 200, b"", _SOURCE, place)
    if request.headers.get("x-goog-upload-command") == "start":
        return Answer(200, b"", _SOURCE, {"x-goog-upload-url": place["location"]})
    if path.endswith("/createUploadSession"):
        content = {"uploadUrl": place["location"], "expirationDateTime": _LATER}
        return json_answer(content, _SOURCE)
    if path.endswith("/files.getUploadURLExternal"):
        url = place["location"]
        return json_answer({"ok": True, "upload_url": url, "file_id": "F0000000001"}, _SOURCE)
    if request.host == "api.linkedin.com" and "initializeUpload" in request.url:
        kind = question.collection.partition("?")[0].removesuffix("s") or "image"
        value = {"uploadUrl": place["location"], kind: f"urn:li:{kind}:C5500000001"}
        return json_answer({"value": value}, _SOURCE)
    if request.method == "POST" and _begins_s3_upload(question):
        key = escape("/".join(question.segments[1:]) or question.path.strip("/"))
        text = (
            '<?xml version="1.0"?><InitiateMultipartUploadResult>'
            f"<Bucket>rehearsal</Bucket><Key>{key}</Key><UploadId>rehearsal</UploadId>"
            "</InitiateMultipartUploadResult>"
        )
        return Answer(200, text.encode(), _SOURCE, {"content-type": "application/xml"})
    return None


def _place_of_parts(url: str) -> dict[str, str]:
    """Returns the header with the URL of the parts: that of the request, with a session."""
    parts = urlsplit(url)
    return {"location": f"{parts.scheme}://{parts.netloc}{parts.path}?{_SESSION}"}


def _begins_s3_upload(question: Question) -> bool:
    query = question.request.parts.query
    return "amazonaws.com" in question.request.host and query.split("=")[0] == "uploads"


def _describe_file(question: Question) -> dict[str, object]:
    """Returns a file of Gemini that is ready for use."""
    base = "https://generativelanguage.googleapis.com/v1beta/"
    name = "files/rehearsal1"
    kind = question.request.headers.get("content-type", "application/octet-stream")
    return {"name": name, "uri": f"{base}{name}", "mimeType": kind, "state": "ACTIVE"}
