import { Field as BaseField } from '@base-ui/react/field'
import { ChevronsUpDown } from '#ui/icons.ts'
import { useState, type KeyboardEvent } from 'react'
import { classNames } from './class-names.ts'
import type * as listModule from './select-list.tsx'
import { selectStyle, type SelectProps } from './select-props.ts'

type List = typeof listModule

/** Loaded with the first select that is opened, because most are never opened. */
const fetchList = (): Promise<List> => import('./select-list.tsx')

/** A choice of one among a few. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const [list, setList] = useState<List | null>(null)
  if (list !== null) return <list.SelectList {...props} />
  return <Closed {...props} onOpen={setList} />
}

interface ClosedProps<Value extends string> extends SelectProps<Value> {
  onOpen(list: List): void
}

/** The button with the current choice. Hovering or focusing it loads the list. */
function Closed<Value extends string>(props: ClosedProps<Value>) {
  const { choices, value, label, disabled = false, className, onOpen } = props
  const open = async () => {
    const list = await fetchList()
    onOpen(list)
  }
  return (
    <BaseField.Control
      disabled={disabled}
      render={
        <button
          type="button"
          role="combobox"
          aria-haspopup="listbox"
          // The list is not loaded yet.
          aria-controls={undefined}
          aria-expanded={false}
          aria-label={label}
          onPointerEnter={() => void fetchList()}
          onFocus={() => void fetchList()}
          onClick={() => void open()}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
            event.preventDefault()
            void open()
          }}
          className={classNames(selectStyle, className)}
        >
          <span className="truncate">
            {choices.find((choice) => choice.value === value)?.label}
          </span>
          <ChevronsUpDown className="size-4 text-soft" aria-hidden />
        </button>
      }
    />
  )
}
