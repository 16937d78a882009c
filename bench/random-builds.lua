-- Requests a random type of a random build each time; with many builds these answers are uncached.
--   wrk ... -s bench/random-builds.lua URL -- FILE-WITH-BUILD-IDS TOKEN
local ids = {}
local token

function init(args)
    for id in io.lines(args[1]) do
        ids[#ids + 1] = id
    end
    token = args[2]
    math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000000)
end

function request()
    local path = "/v1/offsets/" .. ids[math.random(#ids)] .. "?types=made_up_" .. math.random(2)
    return wrk.format("GET", path, {["Authorization"] = "Bearer " .. token})
end
