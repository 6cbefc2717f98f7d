import { useEffect, useRef, useState } from 'preact/hooks'
import { ownAxes } from '#contract/chart-options.ts'
import { type ChartSpecification, formatValue, type ValueScale } from '#render/page/page.ts'
import { Button } from '../parts/button.tsx'
import { dragEnds, findEndsProblem, parseNumber } from './axis-ends.ts'
import type { Shown } from './draw.ts'
import type { AxisEnds, View } from './view.ts'

interface AxisHandlesProps {
  readonly shown: Shown
  readonly ends: View['axes']
  readonly onEnds: (ends: View['axes']) => void
  readonly onPreview: (specification: ChartSpecification) => Shown
}

const clickPixels = 4

/** Dragging tick labels moves or stretches the range; a click opens fields for it. */
export function AxisHandles({ shown, ends = {}, onEnds, onPreview }: AxisHandlesProps) {
  const [typed, setTyped] = useState<ValueScale>()
  const set = (id: string, own: AxisEnds | undefined): void => {
    const { [id]: _, ...others } = ends
    const all = own ? { ...others, [id]: own } : others
    onEnds(Object.keys(all).length > 0 ? all : undefined)
  }
  const { specification, frame } = shown
  const preview = (id: string, [min, max]: AxisEnds): void => {
    const axes = specification.axes.map((axis) =>
      axis.id === id ? { ...axis, domainMinimum: min, domainMaximum: max } : axis,
    )
    onPreview({ ...specification, axes })
  }
  return (
    <>
      {frame.columns.flatMap(({ scales, side, left, right }) =>
        scales
          .filter(({ axis }) => !axis.rows)
          .map((scale) => (
            <AxisHandle
              key={scale.axis.id}
              scale={scale}
              style={{
                ...(side === 'left' ? { left: `${left}px` } : { right: `${specification.width - right}px` }),
                width: `${right - left}px`,
                top: `${scale.top}px`,
                height: `${scale.bottom - scale.top}px`,
              }}
              ends={ends[scale.axis.id]}
              onPreview={(own) => preview(scale.axis.id, own)}
              onEnds={([min, max]) => set(scale.axis.id, [min, max, ends[scale.axis.id]?.[2]])}
              onCancel={() => onPreview(specification)}
              onType={() => setTyped(scale)}
            />
          )),
      )}
      {typed && (
        <EndFields
          scale={typed}
          ends={ends[typed.axis.id]}
          onEnds={(own) => set(typed.axis.id, own)}
          onClose={() => setTyped(undefined)}
        />
      )}
    </>
  )
}

const nameAxis = ({ axis }: ValueScale): string => axis.title || 'values'

interface AxisHandleProps {
  readonly scale: ValueScale
  readonly style: Readonly<Record<string, string>>
  readonly ends: AxisEnds | undefined
  readonly onPreview: (ends: AxisEnds) => void
  readonly onEnds: (ends: AxisEnds) => void
  readonly onCancel: () => void
  readonly onType: () => void
}

function AxisHandle({ scale, style, ends, onPreview, onEnds, onCancel, onType }: AxisHandleProps) {
  const drag = useRef<{ readonly scale: ValueScale; readonly top: number; readonly from: number; ends?: AxisEnds }>(
    undefined,
  )
  /** The click that ends a drag opens nothing. */
  const wasDragged = useRef(false)
  const move = (event: PointerEvent): void => {
    const current = drag.current
    if (!current) return
    event.stopPropagation()
    const to = event.clientY - current.top
    if (!current.ends && Math.abs(to - current.from) < clickPixels) return
    const isScheduled = current.ends !== undefined
    current.ends = dragEnds(current.scale, current.from, to, ends ?? [undefined, undefined])
    wasDragged.current = true
    if (isScheduled) return
    const draw = (): void => {
      if (drag.current !== current || !current.ends) return
      onPreview(current.ends)
      requestAnimationFrame(draw)
    }
    requestAnimationFrame(draw)
  }
  const stop = (isDone: boolean): void => {
    const chosen = drag.current?.ends
    drag.current = undefined
    if (chosen && isDone) onEnds(chosen)
    else if (chosen) onCancel()
  }
  return (
    <button
      type="button"
      class="axis-handle"
      style={style}
      aria-label={`Range of the axis ${nameAxis(scale)}`}
      aria-haspopup="dialog"
      title="Drag to move, at its ends to stretch; click for range and log scale"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        // The chart would select days.
        event.stopPropagation()
        event.currentTarget.setPointerCapture(event.pointerId)
        const top = event.currentTarget.getBoundingClientRect().top - scale.top
        drag.current = { scale, top, from: event.clientY - top }
        wasDragged.current = false
      }}
      onPointerMove={move}
      onPointerUp={() => stop(true)}
      onPointerCancel={() => stop(false)}
      onClick={() => !wasDragged.current && onType()}
      onKeyDown={() => {
        wasDragged.current = false
      }}
    />
  )
}

interface EndFieldsProps {
  readonly scale: ValueScale
  readonly ends: AxisEnds | undefined
  readonly onEnds: (ends: AxisEnds | undefined) => void
  readonly onClose: () => void
}

/** An empty field follows the data. */
function EndFields({ scale, ends = [undefined, undefined], onEnds, onClose }: EndFieldsProps) {
  const { axis, domain } = scale
  const [first, last, own] = ends
  const dialog = useRef<HTMLDialogElement>(null)
  const [texts, setTexts] = useState(
    [first, last].map((end) => (end === undefined ? '' : String(Number((end * axis.factor).toPrecision(12))))),
  )
  const [isLog, setLog] = useState(axis.scale === 'log')
  const [problem, setProblem] = useState<string>()
  useEffect(() => dialog.current?.showModal(), [])
  const close = (): void => dialog.current?.close()
  const set = (): void => {
    const [min, max] = texts.map(parseNumber).map((end) => (end === undefined ? end : end / axis.factor))
    const chosen = isLog === (axis.scale === 'log') ? own : isLog ? 'log' : 'linear'
    const found = findEndsProblem({ ...axis, scale: isLog ? 'log' : 'linear' }, min, max)
    setProblem(found)
    if (found !== undefined) return
    onEnds(min === undefined && max === undefined && !chosen ? undefined : [min, max, chosen])
    close()
  }
  const field = (place: 0 | 1, label: string) => (
    <label>
      <span>{label}</span>
      <input
        class="field"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        placeholder={formatValue(axis.format, domain[place] * axis.factor)}
        value={texts[place]}
        onInput={({ currentTarget }) => setTexts(texts.with(place, currentTarget.value))}
        onKeyDown={({ key }) => key === 'Enter' && set()}
      />
    </label>
  )
  return (
    <dialog ref={dialog} class="axis-fields" aria-label={`Range of the axis ${nameAxis(scale)}`} onClose={onClose}>
      <h2>{nameAxis(scale)}</h2>
      <div class="options">
        {field(1, 'Upper end')}
        {field(0, 'Lower end')}
        {axis.id !== ownAxes.heatmap && (
          <label class="check">
            <input type="checkbox" checked={isLog} onChange={() => setLog(!isLog)} />
            <span>Logarithmic</span>
          </label>
        )}
      </div>
      <p class="muted">An empty field follows the data.</p>
      {problem && <p role="alert">{problem}</p>}
      <div class="options">
        <Button onClick={set}>Set</Button>
        <Button
          onClick={() => {
            onEnds(undefined)
            close()
          }}
        >
          Automatic
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </dialog>
  )
}
