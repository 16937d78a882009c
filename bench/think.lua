-- Has each connection of wrk wait between an answer and its next request: 0 to 20 ms, 10 ms on average.
math.randomseed(1)

function delay()
    return math.random(0, 20)
end
