import { cloneElement, createContext, use, useState, type KeyboardEvent } from 'react'
import type * as partsModule from './menu-parts.tsx'
import type { MenuChoiceProps, MenuItemProps, MenuProps } from './menu-props.ts'

type Parts = typeof partsModule

/** Loaded with the first menu that is opened, because most are never opened. */
const fetchParts = (): Promise<Parts> => import('./menu-parts.tsx')

const PartsContext = createContext<Parts | null>(null)

export function Menu(props: MenuProps) {
  const [parts, setParts] = useState<Parts | null>(null)
  if (parts === null) return <Closed trigger={props.trigger} onOpen={setParts} />
  return (
    <PartsContext value={parts}>
      <parts.Popup {...props} />
    </PartsContext>
  )
}

interface ClosedProps extends Pick<MenuProps, 'trigger'> {
  onOpen(parts: Parts): void
}

/** The button before its menu is first opened. Hovering or focusing it loads the menu. */
function Closed({ trigger, onOpen }: ClosedProps) {
  const open = async () => {
    const parts = await fetchParts()
    onOpen(parts)
  }
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: () => void fetchParts(),
    onFocus: () => void fetchParts(),
    onClick: () => void open(),
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      void open()
    },
  })
}

function useParts(): Parts {
  const parts = use(PartsContext)
  if (parts === null) throw new Error('this component needs a menu around it')
  return parts
}

export function MenuItem(props: MenuItemProps) {
  const { Item } = useParts()
  return <Item {...props} />
}

/** A choice of one, with the current one marked. */
export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { Choice } = useParts()
  return <Choice {...props} />
}

export function MenuLine() {
  const { Line } = useParts()
  return <Line />
}
