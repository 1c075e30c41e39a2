"""What the Tax table knows of each state: counts, rates and exemptions, in order of zip codes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class State:
    """Summary statistics of one state."""

    code: str
    area_codes: int
    zips: int  # that a sample of any size draws from: more than 50,000 rows show
    towns: int  # the same
    low_rate: float
    high_rate: float
    flat: int  # of the 20 salaries, how many have the low rate
    rises: int  # and in how many equal steps it then gets to the high one
    single_exemption: int
    married_exemption: int
    child_exemption: int


_TABLE = """
PR  2  175   99 0     0      20  0     0     0    0
MA  9  714  552 5.3   5.3    20  0  3575  7150 1000
RI  1   91   70 0     0      20  0     0     0    0
NH  1  283  254 0     0      20  0     0     0    0
ME  1  497  476 2.214 8.5     1  3  2850  5700 2850
VT  1  312  291 3.6   4.995   5 15  3300  6600 3300
CT  2  446  278 3.0   5.0     2  1 12750 24500    0
NJ  9  722  587 1.4   2.662   4 16  1000  2000 1500
NY 14 2009 1547 4.0   4.533   1 19     0     0 1000
PA 10 2221 1904 3.07  3.07   20  0     0     0    0
DE  1   98   57 2.2   5.95    1 11   110   220  110
DC  1  291    4 4.5   9.0     2  4  1370  2740 1370
MD  4  594  427 4.75  4.75   20  0  2400  4800 2400
VA  7 1227  870 2.536 5.75    1  3   900  1800  900
WV  1  820  716 3.0   6.5     2 10  2000  4000 2000
NC  7 1169  866 6.0   7.83    2 18  3300  6600 3300
SC  3  525  383 3.564 7.0     1  2  3300  6600 3300
GA  7  952  652 4.4   6.0     1  1  2700  5400 3000
FL 17 1537  678 0     0      20  0     0     0    0
AL  4  842  606 5.0   5.0    20  0  1500  3000  300
TN  6  795  562 0     0      20  0     0     0    0
MS  4  538  450 3.0   5.0     1  1  6000 12000 1500
KY  4 1010  857 2.111 6.0     1 14    20    40   20
OH 10 1444 1105 0.712 3.866   1 19  1300  2600 1300
IN  6 1008  756 3.4   3.4    20  0  1000  2000 1000
MI 12 1189  943 3.9   3.9    20  0  3100  6200 3100
IA  5 1017  915 0.936 8.98    1 11    40    80   40
WI  5  956  801 4.6   6.184   1 19   700  1400  400
MN  7 1091  868 5.35  7.85    4 10  3300  6600 3300
SD  1  391  359 0     0      20  0     0     0    0
ND  1  411  376 2.1   2.915   5 15  3300  6600 3300
MT  1  394  348 2.373 6.9     1  2  1900  3800 1900
IL 10 1578 1335 3.0   3.0    20  0  2000  4000 2000
MO  6 1159  939 3.75  6.0     1  1  2100  4200 1200
KS  4  807  682 3.5   6.45    3  3  2250  4500 2250
NE  2  612  521 3.022 6.84    1  5   103   206  103
LA  5  698  475 2.0   6.0     2  3  4500  9000 1000
AR  3  681  605 1.383 7.0     1  5    20    40   20
OK  3  775  595 3.056 6.25    1  1  1000  2000 1000
TX 24 2909 1829 0     0      20  0     0     0    0
CO  4  652  423 4.63  4.63   20  0     0     0    0
WY  1  195  176 0     0      20  0     0     0    0
ID  1  323  265 2.69  7.8     1  4  3300  6600 3300
UT  2  351  254 7.0   7.0    20  0  2475  4950 2475
AZ  5  572  280 2.87  4.265   2 18  2100  4200 2300
NM  1  426  353 1.7   5.3     1  3  3300  6600 3300
NV  2  251   99 0     0      20  0     0     0    0
CA 26 2551 1560 1.0   9.3     1  8    87   174  272
HI  1  139   91 1.941 8.25    1  7  1040  2080 1040
OR  3  487  372 7.41  9.0     1  1   159   318  159
WA  5  744  516 0     0      20  0     0     0    0
AK  1  270  223 0     0      20  0     0     0    0
"""


def _read(line: str) -> State:
    code, areas, zips, towns, low, high, flat, rises, *exemptions = line.split()
    single, married, child = map(int, exemptions)
    return State(
        code=code,
        area_codes=int(areas),
        zips=int(zips),
        towns=int(towns),
        low_rate=float(low),
        high_rate=float(high),
        flat=int(flat),
        rises=int(rises),
        single_exemption=single,
        married_exemption=married,
        child_exemption=child,
    )


STATES = tuple(map(_read, _TABLE.split("\n")[1:-1]))
