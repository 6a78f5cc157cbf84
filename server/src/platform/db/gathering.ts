/**
 * How long a group of writes gathers further ones while others are in progress, as long as each turn of
 * the event loop brings some: turns of the loop, milliseconds, and waiting writes (decision 93).
 */
export const gathering = { turns: 8, ms: 20, size: 32 }
