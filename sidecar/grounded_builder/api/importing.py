"""Routes that import artifacts into n8n."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["import"])
