import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

/**
 * Returns the current width of an element in pixels. Charts are drawn at their real size, so that their text is not
 * scaled.
 */
export function useWidth<Of extends Element>(before: number): [RefObject<Of | null>, number] {
  const element = useRef<Of>(null);
  const [width, setWidth] = useState(before);
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(entries => {
      const next = entries[0]?.contentRect.width;
      if (next !== undefined && next > 0) setWidth(next);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
