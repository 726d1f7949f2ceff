// This variant of the default theme has no web fonts: the site uses the fonts of the system.
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

export default DefaultTheme;
