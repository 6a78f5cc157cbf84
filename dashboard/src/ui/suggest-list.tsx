import { Autocomplete } from '@base-ui/react/autocomplete'
import { ChevronsUpDown } from '#ui/icons.ts'
import { useState } from 'react'
import {
  suggestButtonStyle,
  suggestInputStyle,
  type Suggestion,
  type SuggestInputProps,
  type SuggestionGroup,
} from './suggest-props.ts'

export interface SuggestListProps extends SuggestInputProps {
  /** Text that was typed while this was loading is a search. */
  readonly beginsAsSearch: boolean
}

/** Loaded by `suggest-input.tsx` when suggestions are first needed. */
export function SuggestList(props: SuggestListProps) {
  const { value, onChange, groups, openLabel, beginsAsSearch, ...input } = props
  // Until something is typed, all are shown: the value is the current choice, not a search.
  const [isSearch, setIsSearch] = useState(beginsAsSearch)
  const shown = isSearch ? matching(groups, value) : groups
  return (
    <Autocomplete.Root
      items={shown}
      mode="none"
      defaultOpen
      openOnInputClick
      value={value}
      itemToStringValue={(item: Suggestion) => item.value}
      onValueChange={(next, { reason }) => {
        setIsSearch(reason === 'input-change')
        onChange(next)
      }}
      onOpenChange={(isOpen) => {
        if (!isOpen) setIsSearch(false)
      }}
    >
      <Autocomplete.InputGroup className="relative">
        <Autocomplete.Input
          {...input}
          // It replaces an input that had the focus.
          autoFocus
          spellCheck={false}
          className={suggestInputStyle}
        />
        <Autocomplete.Trigger aria-label={openLabel} className={suggestButtonStyle}>
          <ChevronsUpDown className="size-4" aria-hidden />
        </Autocomplete.Trigger>
      </Autocomplete.InputGroup>
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-50 data-empty:hidden">
          <Autocomplete.Popup className="max-h-[min(22rem,var(--available-height))] w-(--anchor-width) max-w-[calc(100vw-2rem)] overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-raised outline-none data-empty:hidden">
            <Autocomplete.List>
              {(group: SuggestionGroup) => (
                <Autocomplete.Group key={group.label} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">
                    {group.label}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Suggestion) => (
                      <Autocomplete.Item
                        key={item.value}
                        value={item}
                        className="flex cursor-default flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover"
                      >
                        <span className="min-w-0 break-all">{item.value}</span>
                        {item.aside !== undefined && (
                          <span className="ml-auto flex flex-wrap gap-1">{item.aside}</span>
                        )}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}

function matching(groups: readonly SuggestionGroup[], search: string): SuggestionGroup[] {
  const wanted = search.trim().toLowerCase()
  return groups
    .map(({ label, items }) => ({
      label,
      items: items.filter(({ value }) => value.toLowerCase().includes(wanted)),
    }))
    .filter(({ items }) => items.length > 0)
}
