/// Units with their names and factors, and a list of all of them.
macro_rules! units {
    ($($(#[$doc:meta])* $name:ident: $sign:expr, $factor:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl ::units::Unit for $name {
                fn sign(&self) -> &'static str {
                    $sign
                }

                fn factor(&self) -> f64 {
                    $factor
                }
            }
        )*

        /// The unit with this sign.
        pub fn by_sign(sign: &str) -> Option<Box<::units::Unit>> {
            match sign {
                $($sign => Some(Box::new($name)),)*
                _ => None,
            }
        }
    };
}
