-- Requests two random types each time; with many names these answers are uncached.
--   wrk ... -s bench/random.lua URL -- FILE-WITH-NAMES TOKEN
local names = {}
local token
local path

function init(args)
    for name in io.lines(args[1]) do
        names[#names + 1] = name
    end
    token = args[2]
    path = wrk.path
    math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000000)
end

function request()
    local items = names[math.random(#names)] .. "," .. names[math.random(#names)]
    return wrk.format("GET", path .. "?types=" .. items, {["Authorization"] = "Bearer " .. token})
end
