import type { ButtonHTMLAttributes, ReactElement, ReactNode } from 'react'

export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>
  readonly align?: 'start' | 'center' | 'end'
  readonly side?: 'top' | 'bottom'
  readonly children: ReactNode
}

export interface MenuItemProps {
  readonly onSelect?: () => void
  /** Renders a link, for an item that opens a page. */
  readonly render?: ReactElement
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly children: ReactNode
}

export interface MenuChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly { readonly value: Value; readonly label: ReactNode }[]
  onChange(value: Value): void
}
