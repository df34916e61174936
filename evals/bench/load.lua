-- Posts the lines of a file in turn with a token, and prints the counts in one line.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("LOAD_TOKEN")

local threads, requests, place = {}, {}, 0

function setup(thread)
  table.insert(threads, thread)
end

function init()
  refused = 0
  for line in io.lines(os.getenv("LOAD_BODY")) do
    table.insert(requests, wrk.format(nil, nil, nil, line))
  end
end

function request()
  place = place % #requests + 1
  return requests[place]
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
