"""What a generated client does against a service: prices, a series, a chart, all pages, and a limit."""
import datetime
import sys

from generated import AuthenticatedClient, Client
from generated.api.charts import draw_chart
from generated.api.market import prices
from generated.api.series import cost_basis, series
from generated.models import ChartBody, CostBasisAnswer, PricesAnswer, SeriesAnswer

url, limited_url, key, first_date = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)

answer = prices.sync(client=client, limit=3)
assert isinstance(answer, PricesAnswer), answer
assert len(answer.data) == 3 and answer.data[0].close > 0
assert isinstance(answer.data[0].date, datetime.date)

answer = series.sync(client=client, metrics="price,mvrv", limit=2)
assert isinstance(answer, SeriesAnswer), answer
assert answer.data[0]["price"] > 0

drawn = draw_chart.sync_detailed(client=client, body=ChartBody.from_dict({"metric": "price", "days": 30}))
assert drawn.content[1:4] == b"PNG", drawn.status_code

rows, cursor = 0, None
while rows == 0 or cursor:
    asked = {"start_date": datetime.date.fromisoformat(first_date), **({"cursor": cursor} if cursor else {})}
    answer = cost_basis.sync(client=client, **asked)
    assert isinstance(answer, CostBasisAnswer), answer
    rows += len(answer.data)
    cursor = answer.meta.next_cursor or None

limited, statuses = Client(base_url=limited_url), []
while len(statuses) < 3:
    response = prices.sync_detailed(client=limited, limit=1)
    statuses.append(int(response.status_code))
assert statuses == [200, 200, 429], statuses
assert response.parsed.error.code == "rate_limited" and response.parsed.retry_after > 0
assert int(response.headers["Retry-After"]) <= 60
print(rows)
