/* Templates in every kind of argument that compilers write into names. */

struct Plain { int a; };
namespace n { enum E { A, B, C = -3 }; struct S { int x; }; 
inline namespace v1 { template<class T> struct In { T t; }; }
namespace { template<class T> struct Anon { T t; }; struct A1 { int z; }; } }
enum class Scoped : short { X = 9 };
enum : unsigned char { UNNAMED = 3 };
template<class T> struct Box { T value; struct Inner { T *p; T v; }; enum Kind { K1, K2 }; template<class U> struct Pair { T a; U b; }; };
template<bool B, char C, unsigned U, long L, n::E E, unsigned long long UL, signed char SC, short S> struct Vals { int v; };
template<Scoped S> struct Sc { int v; };
template<n::E E> struct En { int v; };
template<class... T> struct Pack { int v; };
template<int... I> struct Ints { int v; };
template<class A, class... T> struct Mixed { A v; };
template<template<class> class T> struct Tmpl { T<int> v; };
template<template<class> class... T> struct Tmpls { int v; };
template<int *P> struct Ptr { int v; };
template<void (*F)()> struct Fun { int v; };
template<int *P> struct Null { int v; };
template<int Plain::*M> struct Mem { int v; };
template<int (Plain::*M)()> struct MemF { int v; };
template<class T, class A = Box<T>> struct Dflt { A a; T t; };
template<class T> union Un { T t; char c; };
template<class T> struct Derived : Box<T> { T more; };
template<wchar_t W, char16_t C16, char32_t C32, char8_t C8, unsigned char UC, unsigned short US, unsigned long ULO, long long LL, int I, __int128 BIG> struct More { int v; };
template<char A, char B2, char C, char D, char E, char F> struct Chars { int v; };
template<class T> struct Outer { template<class U> struct In2 { T t; U u; struct Deep { U w; }; }; };
template<class T> using Al = Box<T>;
template<class T> Box<T> make(T t) { struct Local { T l; Box<T> b; } l { t, {t} }; return l.b; }
int global; void fun() {}
auto lam = [](int x) { return x; };
template<class T> struct HasStatic { static T s; T m; };
template<class T> T HasStatic<T>::s;
template<class T> T tvar = T(1);
template<class T> struct Op { T v; bool operator<(const Op&) const; operator T() const; };
template<class T> struct Fwd;
Fwd<int> *fwd;
struct UsesFwd { Fwd<float> *p; };
Plain plain;
Box<int> b1; Box<float> b2; Box<Box<int>> b3; Box<const char *> b4; Box<int[3]> b5; Box<int (*)(float, ...)> b6; Box<void (int)> *b7;
Box<n::E> b8; Box<n::In<int>> b9; Box<n::Anon<int>> b10; Box<n::A1> b11; Box<Plain &> *b12; Box<Plain &&> *b13; Box<int Plain::*> b14; Box<unsigned long> b15;
Box<const volatile Plain> *b16; Box<int (Plain::*)(char) const> b17; Box<decltype(lam)> b18 {lam}; Box<decltype(nullptr)> b19; Box<const Plain *const *> b20; Box<signed char> b21; Box<void> *b22;
Box<int[2][4]> b23; Box<int (*)[3]> b24; Box<int *(*)(int *)> b25; Box<Plain[]> *b26; Box<int (&)[2]> *b27; Box<int(*)() noexcept> b28;
Box<int>::Inner i1; Box<float>::Inner i2; Box<int>::Kind k1; Box<int>::Pair<float> pr; Box<float>::Pair<int> pr2; Box<Box<int>::Inner> bi; Box<Box<int>::Kind> bk;
Vals<true,'x',3,-5,n::B,18446744073709551615ULL,(signed char)'\xfd',9> v1;
Sc<Scoped::X> sc; Sc<(Scoped)4> sc2; En<n::C> en1; En<(n::E)2> en2;
Pack<> p0; Pack<int> p1; Pack<int, float> p2; Pack<Pack<>, Pack<int>> p3; Ints<> in0; Ints<1,2,3> in3; Mixed<int> m0; Mixed<int, char> m1;
Tmpl<Box> tm; Tmpl<n::In> tm2; Tmpls<Box, n::In> tms; Tmpls<> tms0;
Ptr<&global> ptr; Fun<&fun> fn; Null<nullptr> nul; Mem<&Plain::a> mem; Mem<nullptr> memn; MemF<nullptr> memfn;
Dflt<int> df; Un<int> un; Derived<int> dv; Derived<float> dv2;
More<L'a', u'b', U'\x1F600', u8'c', 200, 60000, 7ul, -8ll, -1, 5> more;
Chars<'\n', '\'', '\\', '\0', '"', '\x7f'> chars;
Outer<int>::In2<char> oi; Outer<float>::In2<char>::Deep od;
Al<short> al;
Op<int> op;
auto u = make(5); auto u2 = make(5.0);
int us = HasStatic<int>::s; float us2 = HasStatic<float>::s; int tv = tvar<int>; 
template<auto V> struct Auto { int v; }; Auto<5> au; Auto<'c'> au2; Auto<true> au3; Auto<n::B> au4;
template<class T, int N> struct Arr { T e[N]; }; Arr<double, 4> arr; Arr<Box<Plain>, 2> arr2;
