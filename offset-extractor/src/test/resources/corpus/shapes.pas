{ Prints items with their offsets and sizes. Debug information has the names of records in capitals and those of members in
  small letters. }
program shapes;

type
  TDay = (mon, tue, wed);
  TBits = set of 0..15;
  TDays = set of TDay;
  TPoint = record
    x: integer;
    y: double;
  end;
  TShape = record
    tag: byte;
    corners: array[1..3] of TPoint;
    name: string[15];
    grid: array[-1..1, 5..6] of word;
    days: array[TDay] of smallint;
    bits: TBits;
    free: TDays;
    few: 3..9;
    case deep: boolean of
      true: (whole: int64);
      false: (half: longint);
  end;
  TPacked = packed record
    a: byte;
    b: longint;
    c: array[0..2] of byte;
  end;

var
  shape: TShape;
  tight: TPacked;

procedure say(const item: string; place, origin: pointer; size: ptruint);
begin
  writeln(item, ' ', ptruint(place) - ptruint(origin), ' ', size);
end;

begin
  say('TPOINT', @shape.corners, @shape.corners, sizeof(TPoint));
  say('TSHAPE', @shape, @shape, sizeof(TShape));
  say('TSHAPE.tag', @shape.tag, @shape, sizeof(shape.tag));
  say('TSHAPE.corners', @shape.corners, @shape, sizeof(shape.corners));
  say('TSHAPE.corners[1]', @shape.corners[1], @shape, sizeof(TPoint));
  say('TSHAPE.corners[3].y', @shape.corners[3].y, @shape, sizeof(double));
  writeln('TSHAPE.name ', ptruint(@shape.name) - ptruint(@shape), ' -');
  say('TSHAPE.grid', @shape.grid, @shape, sizeof(shape.grid));
  say('TSHAPE.grid[1][5]', @shape.grid[1, 5], @shape, sizeof(word));
  say('TSHAPE.grid[-1][6]', @shape.grid[-1, 6], @shape, sizeof(word));
  say('TSHAPE.days', @shape.days, @shape, sizeof(shape.days));
  say('TSHAPE.days[2]', @shape.days[wed], @shape, sizeof(smallint));
  say('TSHAPE.bits', @shape.bits, @shape, sizeof(TBits));
  say('TSHAPE.free', @shape.free, @shape, sizeof(TDays));
  say('TSHAPE.few', @shape.few, @shape, sizeof(shape.few));
  say('TSHAPE.deep', @shape.deep, @shape, sizeof(shape.deep));
  say('TSHAPE.whole', @shape.whole, @shape, sizeof(shape.whole));
  say('TSHAPE.half', @shape.half, @shape, sizeof(shape.half));
  say('TPACKED', @tight, @tight, sizeof(TPacked));
  say('TPACKED.b', @tight.b, @tight, sizeof(tight.b));
  say('TPACKED.c[2]', @tight.c[2], @tight, 1);
end.
