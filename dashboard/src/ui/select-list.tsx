import { Select as BaseSelect } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from '#ui/icons.ts'
import { classNames } from './class-names.ts'
import { selectStyle, type SelectProps } from './select-props.ts'

/** How close to its end a list counts as read. */
const endPixels = 200

/** Loaded by `select.tsx` when a select is first opened. */
export function SelectList<Value extends string>(props: SelectProps<Value>) {
  const { choices, value, onChange, onEnd, label, disabled = false, className } = props
  return (
    <BaseSelect.Root
      items={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
      value={value}
      onValueChange={(next) => {
        if (next !== null) onChange(next)
      }}
      disabled={disabled}
      modal={false}
      defaultOpen
    >
      <BaseSelect.Trigger
        {...(label === undefined ? {} : { 'aria-label': label })}
        className={classNames(selectStyle, className)}
      >
        <BaseSelect.Value className="truncate" />
        <BaseSelect.Icon>
          <ChevronsUpDown className="size-4 text-soft" aria-hidden />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <BaseSelect.Popup
            onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
              if (scrollHeight - scrollTop - clientHeight < endPixels) onEnd?.()
            }}
            className="max-h-80 min-w-(--anchor-width) max-w-[calc(100vw-2rem)] overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-raised outline-none"
          >
            {choices.map((choice) => (
              <BaseSelect.Item
                key={choice.value}
                value={choice.value}
                className="grid cursor-default grid-cols-[1rem_1fr] items-center gap-x-2 rounded-lg px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover"
              >
                <BaseSelect.ItemIndicator>
                  <Check className="size-4 text-accent" aria-hidden />
                </BaseSelect.ItemIndicator>
                <BaseSelect.ItemText className="col-start-2">{choice.label}</BaseSelect.ItemText>
                {choice.hint !== undefined && (
                  <span className="col-start-2 text-[0.8125rem] text-soft">{choice.hint}</span>
                )}
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  )
}
