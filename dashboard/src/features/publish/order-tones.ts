/** The colour of an order's status, in the list and in the order. */
export const orderTones = {
  confirmed: 'accent',
  processing: 'accent',
  shipped: 'good',
  completed: 'good',
  canceled: 'neutral',
} as const
