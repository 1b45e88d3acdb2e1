// Runs a program that cannot import some modules. What still works does not need them.

const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/**
 * Returns the environment of a program in which importing a package fails if its name begins with one of `names`. A
 * program imports a package by its name, or with a bundled file. Comments in a bundled file name the files that it
 * contains.
 */
export const withoutModules = (...names: readonly string[]): { readonly NODE_OPTIONS: string } => {
  const hook = `const names = ${JSON.stringify(names)};
  const refuse = (name) => {
    if (name !== undefined) throw new Error('an engine: ' + name);
  };
  export const resolve = (asked, context, next) => {
    refuse(names.find((name) => asked.startsWith(name)));
    return next(asked, context);
  };
  export const load = async (url, context, next) => {
    const loaded = await next(url, context);
    const source = String(loaded.source ?? '');
    refuse(names.find((name) => source.includes('\\n// node_modules/' + name)));
    return loaded;
  };`;
  const registered = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))});`;
  return { NODE_OPTIONS: `--import=${dataUrl(registered)}` };
};
