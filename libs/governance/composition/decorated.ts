import type { Type } from '@nestjs/common';

/**
 * The controllers with the host's decorators. Each is a new subclass, because all compositions of the process share the
 * original classes.
 */
export function decorated(
  controllers: readonly Type<unknown>[],
  decorators: readonly ClassDecorator[] = [],
): Type<unknown>[] {
  if (decorators.length === 0) return [...controllers];
  return controllers.map(controller => {
    const own = { [controller.name]: class extends (controller as Type<object>) {} }[controller.name] ?? controller;
    for (const decorate of decorators) decorate(own);
    return own;
  });
}
