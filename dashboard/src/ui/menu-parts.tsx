import { Menu as BaseMenu } from '@base-ui/react/menu'
import { Check } from '#ui/icons.ts'
import { classNames } from './class-names.ts'
import type { MenuChoiceProps, MenuItemProps, MenuProps } from './menu-props.ts'

/** Loaded by `menu.tsx` when a menu is first opened. */

export function Popup({ trigger, align = 'end', side = 'bottom', children }: MenuProps) {
  return (
    <BaseMenu.Root modal={false} defaultOpen>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner align={align} side={side} sideOffset={6} className="z-50">
          <BaseMenu.Popup className="max-h-(--available-height) min-w-52 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-xl border border-line bg-raised p-1 text-sm shadow-raised outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}

const itemStyle =
  'flex w-full cursor-default items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-left outline-none data-highlighted:bg-hover data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-soft'

export function Item({ onSelect, render, danger, disabled, children }: MenuItemProps) {
  return (
    <BaseMenu.Item
      {...(onSelect === undefined ? {} : { onClick: onSelect })}
      {...(render === undefined ? {} : { render })}
      disabled={disabled ?? false}
      className={classNames(itemStyle, danger === true && 'text-bad [&_svg]:text-bad')}
    >
      {children}
    </BaseMenu.Item>
  )
}

export function Choice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { label, value, choices, onChange } = props
  return (
    <BaseMenu.Group>
      <BaseMenu.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">
        {label}
      </BaseMenu.GroupLabel>
      <BaseMenu.RadioGroup value={value} onValueChange={onChange}>
        {choices.map((choice) => (
          <BaseMenu.RadioItem
            key={choice.value}
            value={choice.value}
            closeOnClick
            className={itemStyle}
          >
            <span className="min-w-0 flex-1">{choice.label}</span>
            <BaseMenu.RadioItemIndicator>
              <Check aria-hidden />
            </BaseMenu.RadioItemIndicator>
          </BaseMenu.RadioItem>
        ))}
      </BaseMenu.RadioGroup>
    </BaseMenu.Group>
  )
}

export function Line() {
  return <BaseMenu.Separator className="my-1 h-px bg-line" />
}
