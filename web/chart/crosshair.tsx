import { type ChartFrame, type ChartSpecification, formatPlace, formatValue } from '#render/page/page.ts'

interface CrosshairProps {
  readonly specification: ChartSpecification
  readonly frame: ChartFrame
  readonly entry: number
}

export function Crosshair({ specification, frame, entry }: CrosshairProps) {
  const { x, width } = specification
  const day = x.days[entry]
  if (day === undefined) return null
  const { plot, days, series } = frame
  const at = days.position(day)
  const isRight = at > width / 2
  const rows = series.flatMap(({ series: one, scale, position }) => {
    const value = one.values[entry] ?? Number.NaN
    return [
      {
        one,
        y: position(entry),
        text: Number.isNaN(value) ? '–' : formatValue(scale.axis.format, value * scale.axis.factor),
      },
    ]
  })
  return (
    <div class="crosshair">
      <div class="line" style={{ left: `${at}px`, top: `${plot.top}px`, height: `${plot.bottom - plot.top}px` }} />
      {rows.map(
        ({ one, y }) =>
          Number.isFinite(y) &&
          !one.stacked && <i key={one.id} style={{ left: `${at}px`, top: `${y}px`, background: one.color }} />,
      )}
      <div
        class="reading"
        role="status"
        style={{
          top: `${plot.top + 4}px`,
          ...(isRight ? { right: `${width - at + 12}px` } : { left: `${at + 12}px` }),
        }}
      >
        <p>{x.kind === 'day_offset' ? `Day ${entry}` : formatPlace(x, entry)}</p>
        <dl>
          {rows.map(({ one, text }) => (
            <div key={one.id}>
              <dt>
                <b style={{ background: one.color }} />
                {one.label}
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  )
}
