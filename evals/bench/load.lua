-- Posts one body with a token, and prints what came of it in one line.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("LOAD_TOKEN")
local file = io.open(os.getenv("LOAD_BODY"), "rb")
wrk.body = file:read("*a")
file:close()

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init()
  refused = 0
end

function response(status)
  if status ~= 200 then
    refused = refused + 1
  end
end

function done(summary, latency, requests)
  local refused = 0
  for _, thread in ipairs(threads) do
    refused = refused + thread:get("refused")
  end
  local errors = summary.errors
  io.write(string.format(
    "LOAD %d %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(95), refused,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
