export interface ChartTooltipProps {
  /** The pixel that the tooltip is beside. */
  readonly x: number
  /** In the right half, the tooltip is to the left of `x`, so that it stays within the chart. */
  readonly isRightHalf: boolean
  readonly title: string
  readonly rows: readonly {
    readonly label: string
    readonly colour: string
    readonly value: string
  }[]
}

export function ChartTooltip({ x, isRightHalf, title, rows }: ChartTooltipProps) {
  return (
    <div
      className="pointer-events-none absolute top-2 rounded-xl border border-line bg-raised px-3 py-2 text-sm whitespace-nowrap text-ink shadow-raised"
      style={{
        left: x,
        transform: isRightHalf ? 'translateX(calc(-100% - 12px))' : 'translateX(12px)',
      }}
    >
      <p>{title}</p>
      {rows.map(({ label, colour, value }) => (
        <p key={label} style={{ color: colour }}>
          {label}: <span className="tabular-nums">{value}</span>
        </p>
      ))}
    </div>
  )
}
