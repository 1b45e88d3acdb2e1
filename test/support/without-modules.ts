// A program that cannot import some modules: what it does all the same shows that it needs none of them.

const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** Returns the environment of a program in which importing a package whose name begins with one of `names` fails. */
export const withoutModules = (...names: readonly string[]): { readonly NODE_OPTIONS: string } => {
  const hook = `export const resolve = (name, context, next) => {
    if (${JSON.stringify(names)}.some((begin) => name.startsWith(begin))) throw new Error('an engine: ' + name);
    return next(name, context);
  };`;
  const registered = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))});`;
  return { NODE_OPTIONS: `--import=${dataUrl(registered)}` };
};
