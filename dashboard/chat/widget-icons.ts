/** What the button of the widget shows, as paths in a square of 24. */
export const widgetIcons = {
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  question:
    'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  spark: 'M12 3l2.2 6.8L21 12l-6.8 2.2L12 21l-2.2-6.8L3 12l6.8-2.2z',
} as const
