// What a reader chooses for this browser: language and theme, the only things that it stores. Also the way out.
import { Menu, useMantineColorScheme } from '@mantine/core';
import { signOut, useSession } from '../api/session.js';
import { say } from '../parts/said.js';
import { Sign } from '../parts/signs.js';
import { languages, speak, useLanguage, useTexts } from '../texts/language.js';
import { wordsOf } from '../texts/words-of.js';

const THEMES = ['light', 'dark', 'auto'] as const;

export const Preferences = () => {
  const texts = useTexts();
  const { nav } = texts;
  const language = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const session = useSession();
  const leave = () => signOut().catch((error: unknown) => say(wordsOf(texts, error).title));
  return (
    <Menu position="top-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <button type="button" className="entry preferences">
          <Sign name="more" />
          {nav.more}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{nav.language}</Menu.Label>
        {languages.map((each) => (
          <Menu.Item key={each} lang={each} onClick={() => speak(each)} aria-current={each === language}>
            {nav.languages[each]} {each === language && <Sign name="check" />}
          </Menu.Item>
        ))}
        <Menu.Label>{nav.theme}</Menu.Label>
        {THEMES.map((each) => (
          <Menu.Item key={each} onClick={() => setColorScheme(each)} aria-current={each === colorScheme}>
            {nav.themes[each]} {each === colorScheme && <Sign name="check" />}
          </Menu.Item>
        ))}
        {'who' in session && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => void leave()}>{nav.signOut}</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
};
