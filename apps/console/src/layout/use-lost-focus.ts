import { type RefObject, useEffect } from 'react';

/** The wait before the focus is moved, in ms. A dialog that has just closed needs this time to return the focus itself. */
const RETURN_MS = 100;

/**
 * Moves the focus to the title of the screen when the focused element disappears or is disabled. For example, the row of a held sale disappears when
 * the sale is released. Without this hook, the keyboard would continue at the top of the page, and a screen reader would say nothing.
 */
export function useLostFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: EventTarget | null = null;
    let lastScreen = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent): void => {
      last = target;
      lastScreen = location.pathname;
    };
    const isGone = () => last instanceof Element && (!last.isConnected || last.matches(':disabled'));
    const restore = (): void => {
      const isElsewhere =
        document.activeElement !== document.body || document.querySelector('[role="dialog"]') !== null;
      // If the focused element was on another screen (for example, the sign-in button), it is normal that it has disappeared.
      const isLeft = location.pathname !== lastScreen;
      if (isElsewhere || isLeft || !isGone()) return;
      (main.current?.querySelector<HTMLElement>('h1') ?? main.current)?.focus();
    };
    const observer = new MutationObserver(() => {
      if (!isGone()) return;
      clearTimeout(timer);
      timer = setTimeout(restore, RETURN_MS);
    });
    document.addEventListener('focusin', remember);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      clearTimeout(timer);
      document.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, [main]);
}
