/**
 * Returns the same store, whose calls all go through `around`, with the name of the method, its arguments and a function
 * that makes the call.
 */
export const intercepted = <S extends object>(
  store: S,
  around: (name: keyof S, given: readonly never[], call: () => unknown) => unknown,
): S =>
  new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: never[]) => around(name as keyof S, given, () => member.apply(target, given));
    },
  });
