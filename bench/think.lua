-- Pauses each connection of wrk between requests: 0 to 20 ms, 10 ms on average.
math.randomseed(1)

function delay()
    return math.random(0, 20)
end
