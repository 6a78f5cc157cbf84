import { useState } from 'react'
import type { InputOf, OutputOf } from '#api/call-operation.ts'
import type { OperationError } from '#api/operation-error.ts'
import { useOperationMutation } from '#api/use-operation.ts'

export interface ConnectionTestState {
  /** The model to test; empty for the list of models. */
  readonly model: string
  setModel(model: string): void
  readonly isRunning: boolean
  /** What the last test found; undefined when the connection has changed since. */
  readonly result: OutputOf<'test_provider'> | undefined
  readonly error: OperationError | null
  readonly hasPassed: boolean
  readonly hasFailed: boolean
  /** @param onPassed is called when the connection works, while the form is open */
  run(onPassed?: () => void): void
}

/** Tests the connection that a form describes, saved or not. */
export function useConnectionTest(input: InputOf<'test_provider'>): ConnectionTestState {
  const [model, setModel] = useState('')
  const test = useOperationMutation('test_provider')
  const wanted = model.trim() === '' ? {} : { model: model.trim() }
  const isCurrent = connectionOf(test.variables) === connectionOf(input) && !test.isPending
  const result = isCurrent ? test.data : undefined
  const error = isCurrent ? test.error : null
  return {
    model,
    setModel,
    isRunning: test.isPending,
    result,
    error,
    hasPassed: result?.ok === true,
    hasFailed: result?.ok === false || error !== null,
    run(onPassed) {
      test.mutate({ ...input, ...wanted }, { onSuccess: ({ ok }) => ok && onPassed?.() })
    },
  }
}

/** The model of a test is no part of what is saved. */
function connectionOf(input: InputOf<'test_provider'> | undefined): string {
  return JSON.stringify({ ...input, model: undefined })
}
