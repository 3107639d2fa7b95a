// What the modules of the page know of its elements.

/** What listeners of an element hear, by attribute: `onclick` and so on. */
type Listeners = { [K in keyof HTMLElementEventMap as `on${K}`]?: (event: HTMLElementEventMap[K]) => unknown };
/** Attributes of an element that is made; those that are undefined or false are left out. */
type Attributes = Listeners & Record<string, unknown>;
