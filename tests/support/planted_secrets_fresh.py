"""Makes sixty invented secrets of kinds that public scanners document, in texts of requests.

The kinds are from the lists of detect-secrets, TruffleHog and GitHub secret scanning, without those
in ``planted_secrets``. The set was written before it was measured, and has not changed.
"""

from __future__ import annotations

import string
from random import Random

from tests.support.planted_secrets import Planted

_WORD = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UP = string.ascii_uppercase + string.digits
_LOW = string.ascii_lowercase + string.digits
# Kind, prefix, alphabet and length of the body, suffix, and the text that contains the secret.
_KINDS: tuple[tuple[str, str, str, int, str, str], ...] = (
    ("aiven", "AVNS_", _WORD, 19, "", "aiven user avnadmin, {}"),
    ("bedrock", "ABSK", _WORD, 110, "=", "export AWS_BEARER_TOKEN_BEDROCK={}"),
    ("artifactory", "AKCp", _WORD, 69, "", "pull the jar with {} from our artifactory"),
    ("artifactory basic", "", _WORD, 40, "", "artifactory:_password={}"),
    ("aws secret", "", _WORD + "/+", 40, "", 'aws_secret_access_key = "{}"'),
    ("azure storage", "", _WORD + "/+", 86, "==", "AccountName=acme;AccountKey={}"),
    ("azure client", "abc8Q~", _WORD, 34, "", "client secret value: {}"),
    ("azure devops", "", _LOW, 52, "", "azure devops personal access token {}"),
    ("azure function", "", _WORD, 54, "==", "https://acme.example/api/run?code={}"),
    ("box", "", _WORD, 32, "", '{{"boxAppSettings": {{"clientSecret": "{}"}}}}'),
    ("cloudant", "", _HEX, 64, "", "https://acme:{}@acme.cloudant.example/db"),
    ("db2", "", _WORD, 16, "", "DATABASE=bludb;HOSTNAME=db2.example;UID=me;PWD={}"),
    ("discord bot", "MTk4", _WORD, 20, ".Cl2FMQ.x7" + "Qa" * 12, "discord bot {}"),
    ("grafana cloud", "glc_", _WORD, 60, "==", "push to loki as {}"),
    ("ibm iam", "", _WORD + "-_", 44, "", "ibm_cloud_api_key: {}"),
    ("ibm cos", "", _HEX, 48, "", "cos_hmac_keys secret_access_key={}"),
    ("okta", "00", _WORD + "-_", 40, "", "Authorization: SSWS {}"),
    ("softlayer", "", _LOW, 64, "", "sl_api_key={}"),
    ("square", "EAAA", _WORD + "-_", 60, "", "charge with square token {}"),
    ("adafruit", "aio_", _WORD, 28, "", "feed to adafruit with {}"),
    ("alchemy", "alcht_", _WORD, 30, "", "alchemy {}"),
    ("algolia", "", _HEX, 32, "", "algolia admin api key {}"),
    ("alibaba", "LTAI", _WORD, 20, "", "oss access key id {}"),
    ("contentful", "CFPAT-", _WORD + "-_", 43, "", "contentful uses {}"),
    ("duffel", "duffel_live_", _WORD + "-_", 43, "", "book flights with {}"),
    ("easypost", "EZAK", _WORD, 54, "", "easypost {}"),
    ("flutterwave", "FLWSECK_TEST-", _HEX, 32, "-X", "pay by {}"),
    ("frame.io", "fio-u-", _WORD + "-_", 64, "", "review in frame.io: {}"),
    ("planetscale", "pscale_tkn_", _WORD + "-_", 43, "", "query planetscale with {}"),
    ("prefect", "pnu_", _LOW, 36, "", "start the flow, key {}"),
    ("readme", "rdme_", _LOW, 70, "", "update docs with {}"),
    ("rubygems", "rubygems_", _HEX, 48, "", "gem push uses {}"),
    ("shippo", "shippo_live_", _HEX, 40, "", "labels by {}"),
    ("tailscale", "tskey-auth-", _WORD, 18, "-" + "k3Vb" * 8, "join by {}"),
    ("typeform", "tfp_", _WORD + "-_", 59, "", "read answers with {}"),
    ("yandex", "AQVN", _WORD + "-_", 36, "", "yandex cloud {}"),
    ("dynatrace", "dt0c01.", _UP, 24, "." + "A7QX" * 16, "metrics to dynatrace with {}"),
    ("mapbox", "sk.eyJ", _WORD, 80, ".x7" + "aB" * 10, "mapbox secret {}"),
    ("sourcegraph", "sgp_", _HEX, 40, "", "search by {}"),
    ("heroku", "HRKU-AA", _WORD + "-_", 58, "", "restart the dyno with {}"),
    ("launchdarkly", "api-", _HEX, 8, "-1a2b-3c4d-5e6f-7a8b9c0d1e2f", "LD_API_KEY={}"),
    ("pulumi", "pul-", _HEX, 40, "", "preview with {}"),
    ("netlify", "nfp_", _WORD, 36, "", "deploy to netlify using {}"),
    ("buildkite", "bkua_", _HEX, 40, "", "trigger the pipeline with {}"),
    ("clojars", "CLOJARS_", _HEX, 60, "", "lein deploy, {}"),
    ("cockroach", "CCDB1_", _WORD, 22, "_" + "z9" * 20, "scale the cluster with {}"),
    ("cloudflare", "", _WORD + "-_", 40, "", "CLOUDFLARE_API_TOKEN={}"),
    ("fastly", "", _WORD + "-_", 32, "", "Fastly-Key: {}"),
    ("gocardless", "live_", _WORD + "-_", 40, "", "gocardless {}"),
    ("intercom", "dG9rOj", _WORD, 54, "", "Authorization: Bearer {}"),
    ("jenkins", "11", _HEX, 32, "", "curl -u ada:{} https://ci.example/job/x/build"),
    ("jdbc", "", _WORD, 18, "", "jdbc:postgresql://db.example/shop?user=me&password={}"),
    ("kubeconfig", "eyJ", _WORD, 40, ".eyJ" + "Ab7" * 20 + "." + "xY9" * 14, "token: {}"),
    ("mqtt", "", _WORD, 16, "", "mqtts://sensor:{}@broker.example:8883"),
    ("nuget", "oy2", _LOW, 43, "", "dotnet nuget push with {}"),
    ("ldap", "", _WORD, 14, "", "bind as cn=admin with password '{}'"),
    ("smtp", "", _WORD, 16, "", '{{"host": "smtp.example", "user": "a", "pass": "{}"}}'),
    ("snowflake", "", _WORD, 15, "", "snowflake://me:{}@acme/db"),
    ("twitter", "AAAAAAAAAAAAAAAAAAAAA", _WORD, 80, "", "twitter bearer {}"),
    ("zuplo", "zpka_", _LOW, 32, "_1a2b3c4d", "gateway key is {}"),
)


def list_fresh_secrets() -> tuple[Planted, ...]:
    """Returns all sixty, each in its text."""
    random = Random(60)
    secrets: list[Planted] = []
    for kind, start, letters, length, end, text in _KINDS:
        body = "".join(random.choices(letters, k=length - 1)) + "7"
        secret = start + body + end
        secrets.append(Planted(kind, secret, text.format(secret)))
    return tuple(secrets)
