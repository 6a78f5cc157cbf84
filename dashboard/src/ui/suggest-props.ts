import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { controlStyle } from './field.tsx'

export interface Suggestion {
  readonly value: string
  /** Shown beside the value to distinguish it. */
  readonly aside?: ReactNode
}

export interface SuggestionGroup {
  readonly label: string
  readonly items: readonly Suggestion[]
}

export interface SuggestInputProps {
  readonly value: string
  onChange(value: string): void
  readonly groups: readonly SuggestionGroup[]
  /** Names the button that shows all suggestions. */
  readonly openLabel: string
  readonly required?: boolean
  readonly maxLength?: number
}

export const suggestInputStyle = classNames(controlStyle, 'h-9 pr-10')
export const suggestButtonStyle =
  'absolute inset-y-0 right-0 flex w-9 items-center justify-center text-soft hover:text-ink'
