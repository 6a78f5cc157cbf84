import { Field as BaseField } from '@base-ui/react/field'
import { ChevronsUpDown } from '#ui/icons.ts'
import { useState, type KeyboardEvent } from 'react'
import type * as listModule from './suggest-list.tsx'
import { suggestButtonStyle, suggestInputStyle, type SuggestInputProps } from './suggest-props.ts'

type List = typeof listModule

/** Loaded on first use. */
const fetchList = (): Promise<List> => import('./suggest-list.tsx')

/** A text field with grouped suggestions. Other values can be typed too. */
export function SuggestInput(props: SuggestInputProps) {
  const [shown, setShown] = useState<{ list: List; isSearch: boolean } | null>(null)
  if (shown !== null) return <shown.list.SuggestList {...props} beginsAsSearch={shown.isSearch} />
  const open = async (isSearch = false) => {
    const list = await fetchList()
    setShown({ list, isSearch })
  }
  return <Closed {...props} onOpen={open} />
}

interface ClosedProps extends SuggestInputProps {
  onOpen(isSearch?: boolean): Promise<void>
}

/** The text field alone. Hovering or focusing it loads the suggestions. */
function Closed(props: ClosedProps) {
  const { value, onChange, groups: _, openLabel, onOpen, ...input } = props
  return (
    <div
      className="relative"
      onPointerEnter={() => void fetchList()}
      onFocus={() => void fetchList()}
    >
      <BaseField.Control
        {...input}
        role="combobox"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        // The list is not loaded yet.
        aria-controls={undefined}
        aria-expanded={false}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onValueChange={(next) => {
          onChange(next)
          void onOpen(true)
        }}
        onClick={() => void onOpen()}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') void onOpen()
        }}
        className={suggestInputStyle}
      />
      <button
        type="button"
        aria-label={openLabel}
        tabIndex={-1}
        onClick={() => void onOpen()}
        className={suggestButtonStyle}
      >
        <ChevronsUpDown className="size-4" aria-hidden />
      </button>
    </div>
  )
}
