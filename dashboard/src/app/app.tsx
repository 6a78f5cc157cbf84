import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { t } from '#texts/t.ts'
import { Toasts } from '#ui/toast.tsx'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'

/** Loaded after the first page: an operation that needs it follows a click. */
const ConfirmationDialog = lazy(async () => ({
  default: (await import('./confirmation-dialog.tsx')).ConfirmationDialog,
}))

export function App() {
  return (
    // The CSP allows styles from files only. theme.css contains what the library would insert.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts label={t('shell.notifications')} closeLabel={t('common.close')} />
        <Suspense>
          <ConfirmationDialog />
        </Suspense>
      </QueryClientProvider>
    </CSPProvider>
  )
}
