-- Requests two random types of a build each time, or a random type of a random build, which are uncached answers if there are many.
--   wrk ... -s bench/random.lua URL-OF-BUILD -- FILE-WITH-NAMES TOKEN
--   wrk ... -s bench/random.lua URL -- FILE-WITH-BUILD-IDS TOKEN builds
local lines = {}
local token
local path
local builds

function init(args)
    for line in io.lines(args[1]) do
        lines[#lines + 1] = line
    end
    token = args[2]
    builds = args[3] == "builds"
    path = wrk.path
    math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000000)
end

local function any()
    return lines[math.random(#lines)]
end

function request()
    local query = builds and "/v1/offsets/" .. any() .. "?types=made_up_" .. math.random(2)
        or path .. "?types=" .. any() .. "," .. any()
    return wrk.format("GET", query, {["Authorization"] = "Bearer " .. token})
end
