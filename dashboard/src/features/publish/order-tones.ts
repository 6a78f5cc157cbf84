/** The colours of order statuses. */
export const orderTones = {
  confirmed: 'accent',
  processing: 'accent',
  shipped: 'good',
  completed: 'good',
  canceled: 'neutral',
} as const
