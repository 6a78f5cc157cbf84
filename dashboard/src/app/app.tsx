import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { t } from '#texts/t.ts'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'

/** There is nothing to notify of before the first page: it need not wait for this. */
const Toasts = lazy(async () => ({ default: (await import('#ui/toast.tsx')).Toasts }))

export function App() {
  return (
    // The pages' policy takes styles from files only: theme.css holds what the library would insert.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Suspense>
          <Toasts label={t('shell.notifications')} closeLabel={t('common.close')} />
        </Suspense>
      </QueryClientProvider>
    </CSPProvider>
  )
}
