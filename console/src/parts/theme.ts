// The look of the console: one accent colour, and shades that are readable in both themes (WCAG 2.2, 1.4.3).
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const teal: MantineColorsTuple = [
  ...(['#effaf8', '#d3f0ec', '#a6e0d9', '#74cec4', '#48b9ae'] as const),
  ...(['#229c92', '#13837b', '#0f6f69', '#0c5a55', '#0a4844'] as const),
];

const readable = { size: 'md' } as const;

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: 7,
  colors: { teal },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: readable },
    TextInput: { defaultProps: readable },
    PasswordInput: { defaultProps: readable },
    NativeSelect: { defaultProps: readable },
    TagsInput: { defaultProps: readable },
    Textarea: { defaultProps: readable },
    // The focus may stay in another field.
    InputWrapper: { defaultProps: { errorProps: { role: 'alert' } } },
    Checkbox: { defaultProps: readable },
    Modal: { defaultProps: { transitionProps: { duration: 120 } } },
  },
});

/** Replaces the shades of Mantine that are too pale to read. */
export const shades: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#56616c',
    '--mantine-color-placeholder': '#5f6b76',
    '--mantine-color-anchor': '#0f6f69',
    '--mantine-color-teal-light-color': '#0c5a55',
    '--mantine-color-error': '#b3261e',
    '--status-waiting': '#8a5300',
    '--status-approved': '#1a6e3c',
    '--status-rejected': '#b3261e',
    '--status-quiet': '#56616c',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b4be',
    '--mantine-color-placeholder': '#a3adb7',
    '--mantine-color-anchor': '#74cec4',
    '--mantine-color-teal-light-color': '#a6e0d9',
    '--mantine-color-error': '#ff9d94',
    '--status-waiting': '#f2b84b',
    '--status-approved': '#7fd6a0',
    '--status-rejected': '#ff9d94',
    '--status-quiet': '#a9b4be',
  },
});
