# The sidecar, with the part of runtime/ that makes an API key in n8n.
# By name, or by name and digest: docker/README.md says how it is pinned.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY requirements requirements
RUN python -m venv /opt/venv \
 && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt \
 && python -m pip install --no-cache-dir --require-hashes -r requirements/build.txt
COPY pyproject.toml LICENSE ./
COPY sidecar sidecar
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/venv/bin/pip install --no-cache-dir --no-deps /wheels/*.whl

FROM ${PYTHON_IMAGE}
# The number is that of `node` in the other images: the sync reads the token this one makes.
RUN useradd --uid 1000 --create-home --home-dir /home/grounded grounded \
 && install -d -o grounded -g grounded -m 0700 /var/lib/grounded /run/grounded
COPY --from=build /opt/venv /opt/venv
COPY runtime/*.py /opt/grounded/runtime/
COPY docker/sidecar-entry.sh docker/health.py /opt/grounded/docker/
ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    GROUNDED_STATE=/var/lib/grounded
USER grounded
VOLUME /var/lib/grounded
EXPOSE 8377
ENTRYPOINT ["/opt/grounded/docker/sidecar-entry.sh"]
